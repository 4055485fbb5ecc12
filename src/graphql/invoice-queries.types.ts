import { GraphQLDateTime } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import type {
  InvoiceFilter as Filter,
  InvoiceStatus,
  NotificationStatus,
  PdfStatus,
} from '../invoices/index.js';
import { DEFAULT_PAGE } from '../kernel/page.js';
import { connectionOf } from './connection.js';
import { InvoiceStatusEnum, NotificationStatusEnum, PdfStatusEnum } from './enums.js';
import { Invoice } from './invoice.types.js';

export const InvoiceConnection = connectionOf('Invoice', () => Invoice);

@ArgsType()
export class PageArgs {
  @Field(() => Int, { nullable: true, defaultValue: DEFAULT_PAGE, description: '1 to 100.' })
  first?: number | null;
  @Field(() => String, { nullable: true, description: 'A cursor of an earlier page.' }) after?: string | null;
}

@InputType({ description: 'All conditions must hold.' })
export class InvoiceFilter implements Filter {
  @Field(() => InvoiceStatusEnum, { nullable: true }) status?: InvoiceStatus | null;
  @Field(() => PdfStatusEnum, { nullable: true }) pdfStatus?: PdfStatus | null;
  @Field(() => NotificationStatusEnum, { nullable: true }) notificationStatus?: NotificationStatus | null;
  @Field(() => String, { nullable: true }) customerId?: string | null;
  @Field(() => String, { nullable: true }) orderId?: string | null;
  @Field(() => String, { nullable: true, description: 'The number, or the beginning of it.' })
  invoiceNumber?: string | null;
  @Field(() => GraphQLDateTime, { nullable: true, description: 'Inclusive.' }) createdFrom?: Date | null;
  @Field(() => GraphQLDateTime, { nullable: true, description: 'Exclusive.' }) createdTo?: Date | null;
}

@ObjectType()
export class InvoiceDownload {
  @Field(() => String, { description: 'Opens the file for whoever has it, until it expires.' })
  downloadUrl!: string;
  @Field(() => GraphQLDateTime) expiresAt!: Date;
}
