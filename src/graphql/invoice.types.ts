import { GraphQLDateTime } from 'graphql-scalars';
import { Field, Int, ObjectType } from 'type-graphql';
import type { InvoiceStatus, PdfErrorCode, PdfStatus } from '../invoices/index.js';
import { InvoiceStatusEnum, PdfErrorCodeEnum, PdfStatusEnum } from './enums.js';
import { DecimalScalar } from './scalars.js';

// The classes describe the schema; what stands behind them at run time are the domain's own objects,
// whose properties carry the same names.

@ObjectType({ description: 'The seller as printed on this invoice.' })
export class Seller {
  @Field(() => String) name!: string;
  @Field(() => String, { description: 'Its lines are separated by newline.' }) address!: string;
  @Field(() => String, { nullable: true }) taxId!: string | null;
  @Field(() => String, { nullable: true }) email!: string | null;
}

@ObjectType()
export class Address {
  @Field(() => String) line1!: string;
  @Field(() => String, { nullable: true }) line2!: string | null;
  @Field(() => String) city!: string;
  @Field(() => String, { nullable: true }) region!: string | null;
  @Field(() => String, { nullable: true }) postalCode!: string | null;
  @Field(() => String) country!: string;
}

@ObjectType({ description: 'The buyer as the order named it at issue.' })
export class Customer {
  @Field(() => String) name!: string;
  @Field(() => String, { nullable: true }) email!: string | null;
  @Field(() => String, { nullable: true }) taxId!: string | null;
  @Field(() => Address) address!: Address;
}

@ObjectType({ description: 'A frozen line: total = quantity × unit price (rounded) − discount + tax.' })
export class InvoiceItem {
  @Field(() => String) productId!: string;
  @Field(() => String) description!: string;
  @Field(() => DecimalScalar) quantity!: string;
  @Field(() => DecimalScalar) unitPrice!: string;
  @Field(() => DecimalScalar) discount!: string;
  @Field(() => DecimalScalar) tax!: string;
  @Field(() => DecimalScalar) total!: string;
}

@ObjectType()
export class TimelineEntry {
  @Field(() => GraphQLDateTime) at!: Date;
  @Field(() => String) event!: string;
  @Field(() => String, { nullable: true, description: 'role:sub of whoever asked for it.' })
  actor!: string | null;
  @Field(() => Int, { nullable: true }) attempt!: number | null;
  @Field(() => String, { nullable: true }) code!: string | null;
}

@ObjectType({ description: 'A finished rendering.' })
export class PdfRevision {
  @Field(() => Int) revision!: number;
  @Field(() => GraphQLDateTime) createdAt!: Date;
  @Field(() => String) sha256!: string;
  @Field(() => Int) bytes!: number;
  @Field(() => String) templateVersion!: string;
}

@ObjectType({ description: 'One issued invoice. Everything but its statuses is frozen at issue.' })
export class Invoice {
  @Field(() => String) invoiceNumber!: string;
  @Field(() => String) orderId!: string;
  @Field(() => String) customerId!: string;
  @Field(() => InvoiceStatusEnum) status!: InvoiceStatus;
  @Field(() => String, { description: 'ISO 4217 code.' }) currency!: string;
  @Field(() => DecimalScalar) subtotal!: string;
  @Field(() => DecimalScalar) discount!: string;
  @Field(() => DecimalScalar) tax!: string;
  @Field(() => DecimalScalar) total!: string;
  @Field(() => Seller) seller!: Seller;
  @Field(() => Customer) customer!: Customer;
  @Field(() => PdfStatusEnum) pdfStatus!: PdfStatus;
  @Field(() => PdfErrorCodeEnum, { nullable: true }) pdfErrorCode!: PdfErrorCode | null;
  @Field(() => Int, { nullable: true, description: 'The newest finished rendering.' })
  pdfRevision!: number | null;
  @Field(() => Int, { description: 'Raised by every change of the row.' }) version!: number;
  @Field(() => GraphQLDateTime) createdAt!: Date;
  @Field(() => GraphQLDateTime) finalizedAt!: Date;
  @Field(() => GraphQLDateTime, { nullable: true }) cancelledAt!: Date | null;
}
