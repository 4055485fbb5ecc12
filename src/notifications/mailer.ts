/** One message to one recipient. */
export interface Mail {
  /** Fixed per event, so that a second sending is the same message to every server and client. */
  messageId: string;
  to: { name: string; address: string };
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  /**
   * Hands the message over.
   *
   * @throws MailRefused where this message can never be sent, any other error where it may be later.
   */
  send(mail: Mail): Promise<void>;
}

/** The address or the message itself is at fault: trying again cannot help. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}
