import { domainToASCII } from 'node:url';
import type { Lease } from '../kernel/lease.js';

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
   * Hands the message over, as long as its claim is held: the look at the lease right before the content goes
   * out is the last one. In bounded time, whatever the other side does.
   *
   * @throws MailRefused where this message can never be sent, MailUnanswered where it may have been, any
   * other error where it was not and may be later.
   */
  send(mail: Mail, lease: Lease): Promise<void>;
}

/** The address or the message itself is at fault: trying again cannot help. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}

/** The content went out and no answer came: the customer may have the mail, and gets it again. */
export class MailUnanswered extends Error {
  override readonly name = 'MailUnanswered';
}

/** Characters that a mail header reads as syntax: lists, groups, comments, routes, quotes, folded lines. */
const LOCAL_PART = /^[^\s\p{Cc}\p{Cs}"(),:;<>@[\]\\]{1,64}$/u;
const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * What an order calls an address must name one mailbox, or it could name several, or somebody else's.
 *
 * @throws MailRefused
 */
export function assertOneRecipient(address: string): void {
  const [local = '', domain = '', ...more] = address.split('@');
  const oneMailbox = more.length === 0 && LOCAL_PART.test(local) && HOST_NAME.test(domainToASCII(domain));
  if (!oneMailbox) throw new MailRefused('The customer has no address that names one mailbox');
}
