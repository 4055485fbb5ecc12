import { Arg, Args, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { canOperate, unauthorized } from '../auth/actor.js';
import type { DownloadLink } from '../downloads/download-link.js';
import type {
  InvoiceLine,
  Invoice as InvoiceModel,
  ListCustomerInvoices,
  NotificationStatus,
  PdfRevision as PdfRevisionModel,
  ReadInvoice,
  ReadTimeline,
  SearchInvoices,
  TimelineEntry as TimelineEntryModel,
} from '../invoices/index.js';
import { publicId } from '../kernel/ids.js';
import { type Connection, toConnection } from './connection.js';
import { type RequestContext, requireActor } from './context.js';
import { NotificationStatusEnum } from './enums.js';
import { invoiceUuid } from './ids.js';
import { Invoice, InvoiceItem, PdfRevision, TimelineEntry } from './invoice.types.js';
import { InvoiceConnection, InvoiceDownload, InvoiceFilter, PageArgs } from './invoice-queries.types.js';

export interface InvoiceReads {
  readInvoice: ReadInvoice;
  listCustomerInvoices: ListCustomerInvoices;
  searchInvoices: SearchInvoices;
  readTimeline: ReadTimeline;
  downloadLink: DownloadLink;
}

/** An invoice that this very request issued brings its lines along. */
type InvoiceRoot = InvoiceModel & { items?: InvoiceLine[] };

@Resolver(() => Invoice)
export class InvoiceResolver {
  constructor(private readonly reads: InvoiceReads) {}

  @Query(() => Invoice, { nullable: true })
  invoice(@Arg('id', () => ID) id: string, @Ctx() context: RequestContext): Promise<InvoiceModel> {
    return this.reads.readInvoice(requireActor(context), { id: invoiceUuid(id) });
  }

  @Query(() => Invoice, { nullable: true })
  invoiceByOrder(
    @Arg('orderId', () => ID) orderId: string,
    @Ctx() context: RequestContext,
  ): Promise<InvoiceModel> {
    return this.reads.readInvoice(requireActor(context), { orderId });
  }

  @Query(() => InvoiceConnection, { description: 'Newest first.' })
  async customerInvoices(
    @Arg('customerId', () => ID) customerId: string,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<InvoiceModel>> {
    return toConnection(await this.reads.listCustomerInvoices(requireActor(context), customerId, page));
  }

  @Query(() => InvoiceConnection, { description: 'Newest first. For admins and services.' })
  async invoices(
    @Arg('filter', () => InvoiceFilter, { nullable: true }) filter: InvoiceFilter | null,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: RequestContext,
  ): Promise<Connection<InvoiceModel>> {
    return toConnection(await this.reads.searchInvoices(requireActor(context), filter ?? {}, page));
  }

  @Query(() => InvoiceDownload, { description: 'PDF_NOT_READY until the file exists.' })
  async invoiceDownload(
    @Arg('id', () => ID) id: string,
    @Arg('revision', () => Int, { nullable: true, description: 'For admins: an earlier rendering.' })
    revision: number | null,
    @Ctx() context: RequestContext,
  ): Promise<InvoiceDownload> {
    const { url, expiresAt } = await this.reads.downloadLink(requireActor(context), {
      invoiceId: invoiceUuid(id),
      revision,
    });
    return { downloadUrl: url, expiresAt };
  }

  @FieldResolver(() => ID)
  id(@Root() invoice: InvoiceRoot): string {
    return publicId('inv', invoice.id);
  }

  @FieldResolver(() => [InvoiceItem])
  items(
    @Root() invoice: InvoiceRoot,
    @Ctx() { loaders }: RequestContext,
  ): Promise<InvoiceLine[]> | InvoiceLine[] {
    return invoice.items ?? loaders.lines.load(invoice.id);
  }

  @FieldResolver(() => NotificationStatusEnum, {
    nullable: true,
    description: 'Of the newest mail; null where there is none.',
  })
  notificationStatus(
    @Root() invoice: InvoiceRoot,
    @Ctx() { loaders }: RequestContext,
  ): Promise<NotificationStatus | null> {
    return loaders.notificationStatus.load(invoice.id);
  }

  @FieldResolver(() => [TimelineEntry], { nullable: true, description: 'For admins. Oldest first.' })
  timeline(@Root() invoice: InvoiceRoot, @Ctx() context: RequestContext): Promise<TimelineEntryModel[]> {
    return this.reads.readTimeline(requireActor(context), invoice.id);
  }

  @FieldResolver(() => [PdfRevision], { nullable: true, description: 'For admins. Oldest first.' })
  pdfRevisions(@Root() invoice: InvoiceRoot, @Ctx() context: RequestContext): Promise<PdfRevisionModel[]> {
    if (!canOperate(requireActor(context))) throw unauthorized();
    return context.loaders.pdfRevisions.load(invoice.id);
  }
}
