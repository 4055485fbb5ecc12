import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { Invoice } from './invoice.types.js';

@InputType()
export class CreateInvoiceInput {
  @Field(() => ID) orderId!: string;
  @Field(() => String, {
    nullable: true,
    description: '1 to 255 visible ASCII characters. May come as the Idempotency-Key header instead.',
  })
  idempotencyKey?: string | null;
}

@ObjectType()
export class CreateInvoicePayload {
  @Field(() => Invoice) invoice!: Invoice;
  @Field(() => Boolean, { description: 'True where this key had issued the invoice before.' })
  replayed!: boolean;
}

@InputType()
export class RegenerateInvoicePdfInput {
  @Field(() => ID) invoiceId!: string;
  @Field(() => Boolean, { nullable: true, defaultValue: false }) notifyCustomer?: boolean | null;
}

@ObjectType()
export class RegenerateInvoicePdfPayload {
  @Field(() => Invoice) invoice!: Invoice;
}

@InputType()
export class CancelInvoiceInput {
  @Field(() => ID) invoiceId!: string;
  @Field(() => String, { description: '1 to 300 characters.' }) reason!: string;
}

@ObjectType()
export class CancelInvoicePayload {
  @Field(() => Invoice) invoice!: Invoice;
}
