/** Whom an event is about. */
export interface EventSubject {
  /** UUID */
  invoiceId: string;
  orderId: string;
  customerId: string;
}

/** What an event says beside its envelope. Ids and numbers only: handlers read the rows again. */
export interface EventData {
  InvoiceCreated: object;
  InvoicePDFGenerated: { object_key: string; revision: number };
  InvoicePDFGenerationFailed: { error_code: string; retry_count: number };
  InvoicePDFRegenerateRequested: object;
  InvoiceNotificationRequested: object;
  InvoiceNotificationSent: object;
  InvoiceCancelled: object;
}

export type EventType = keyof EventData;

/** Something that happened to an invoice, to be told to whoever works on it next. */
export type NewEvent = {
  [Type in EventType]: { type: Type; invoice: EventSubject; data: EventData[Type] };
}[EventType];

/** An event as it travels: whoever handles it reads the rest from the database. */
export interface EventRef {
  /** UUID; the idempotence of everything downstream rests on it. */
  id: string;
  type: EventType;
  /** UUID */
  invoiceId: string;
}
