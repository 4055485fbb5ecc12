import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Mail, type Mailer, MailRefused } from '../../src/notifications/mailer.js';
import { HELD } from '../helpers/leases.js';
import { headerOf, parseMail, rawHeaderOf, recipientsOf } from './parse-mail.js';

export interface MailerUnderTest {
  /** Made with FROM. Asked for in each test. */
  mailer(): Mailer;
  /** Whole messages that arrived with this Message-ID. */
  arrived(messageId: string): Promise<string[]>;
}

/** Line breaks, and words that only a mailer may encode. */
const HARMFUL = /[\r\n\0]|=\?/;

export const FROM = 'Folio Sample Store <invoices@folio.example>';

export const aMail = (changes: Partial<Mail> = {}): Mail => ({
  messageId: `<${randomUUID()}@folio>`,
  to: { name: 'Alice Example', address: 'alice@example.com' },
  subject: 'Invoice INV-2026-00000001',
  text: 'Hello Alice,\n\nyour invoice is ready.',
  html: '<p>Hello Alice,</p>\n<p>your invoice is ready.</p>',
  ...changes,
});

/** What every mailer of ours does, wherever it hands the message to. */
export function describeMailer({ mailer, arrived }: MailerUnderTest): void {
  /** The one message that a mail became. */
  async function deliver(mail: Mail): Promise<string> {
    await mailer().send(mail, HELD);
    const [message = '', ...others] = await arrived(mail.messageId);
    expect(others).toEqual([]);
    return message;
  }

  /** As `deliver`, or undefined where the mailer says that this can never be sent. */
  async function deliverOrRefuse(mail: Mail): Promise<string | undefined> {
    try {
      return await deliver(mail);
    } catch (error) {
      if (!(error instanceof MailRefused)) throw error;
      expect(await arrived(mail.messageId)).toEqual([]);
      return undefined;
    }
  }

  function expectOneRecipient(message: string, address: string = expect.any(String)): void {
    const parsed = parseMail(message);
    expect(headerOf(parsed, 'to')).toHaveLength(1);
    expect(recipientsOf(rawHeaderOf(message, 'to'))).toEqual([address]);
    const names = parsed.headers.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(/cc|x-|reply-to|sender/)]));
  }

  test('a mail is one message with its headers and its text in two forms', async () => {
    const mail = aMail();
    const parsed = parseMail(await deliver(mail));
    expect(headerOf(parsed, 'message-id')).toEqual([mail.messageId]);
    expect(headerOf(parsed, 'from')).toEqual([FROM]);
    expect(headerOf(parsed, 'to')).toEqual(['Alice Example <alice@example.com>']);
    expect(headerOf(parsed, 'subject')).toEqual([mail.subject]);
    expect(headerOf(parsed, 'mime-version')).toEqual(['1.0']);
    expect(Date.parse(headerOf(parsed, 'date')[0] ?? '')).not.toBeNaN();
    expect([...parsed.parts.keys()]).toEqual(['text/plain', 'text/html']);
    expect(parsed.parts.get('text/plain')?.trim()).toBe(mail.text);
    expect(parsed.parts.get('text/html')?.trim()).toBe(mail.html);
  });

  test('the same mail twice has one Message-ID, and two mails have two', async () => {
    const [mail, other] = [aMail(), aMail()];
    await mailer().send(mail, HELD);
    await mailer().send(mail, HELD);
    await mailer().send(other, HELD);
    const ids = (messages: string[]) =>
      new Set(messages.flatMap((m) => headerOf(parseMail(m), 'message-id')));
    expect(ids(await arrived(mail.messageId))).toEqual(new Set([mail.messageId]));
    expect(ids(await arrived(other.messageId))).toEqual(new Set([other.messageId]));
  });

  test('texts arrive as they were written, in any script', async () => {
    const text = 'Zażółć gęślą jaźń · 東京都 · שלום · 😀\n.\n..\nFrom here on\n--\n= 100 %\n';
    const html = `<p>Zażółć &amp; 東京都 ${'x'.repeat(2_000)}</p>`;
    const parsed = parseMail(await deliver(aMail({ text, html })));
    expect(parsed.parts.get('text/plain')?.trim()).toBe(text.trim());
    expect(parsed.parts.get('text/html')?.trim()).toBe(html);
  });

  const STRANGE: [string, string][] = [
    ['in another script', '佐藤 はるか'],
    ['with accents', 'Zofia Żółć-Wiśniewska'],
    ['with an emoji', 'Alice 😀'],
    ['of 300 characters', 'ż'.repeat(300)],
    ['empty', ''],
    ['with a comma', 'Example, Alice'],
    ['with quotes', 'Alice "Ali" Example'],
    ['with an open quote', 'Alice "Example'],
    ['with a backslash at its end', 'Alice\\'],
    ['with an address', 'Eve <eve@evil.example>'],
    ['with a list of addresses', 'a@evil.example, b@evil.example'],
    ['that closes its brackets', 'Alice>, <eve@evil.example'],
    ['of a group', 'Friends: a@evil.example, b@evil.example;'],
    ['with a comment', 'Alice (eve@evil.example)'],
    ['with an encoded word of its own', '=?UTF-8?Q?Eve_=3Ceve=40evil.example=3E?='],
    ['with a header behind a line break', 'Alice\r\nBcc: eve@evil.example'],
    ['with a header behind a newline', 'Alice\nBcc: eve@evil.example'],
    ['with a header behind a return', 'Alice\rBcc: eve@evil.example'],
    ['with a body behind two line breaks', 'Alice\r\n\r\nPay to another account'],
    ['with a folded header', 'Alice\r\n Bcc: eve@evil.example'],
    ['with NUL', 'Alice\0Bcc: eve@evil.example'],
    ['with a Unicode line separator', 'Alice\u2028Bcc: eve@evil.example'],
    ['with bidi overrides', '\u202eecilA'],
  ];

  describe.each(STRANGE)('a customer’s name %s', (_, name) => {
    test('leaves one recipient', async () => {
      const message = await deliverOrRefuse(aMail({ to: { name, address: 'alice@example.com' } }));
      if (message === undefined) return;
      expectOneRecipient(message, 'alice@example.com');
      // Nothing of a name is lost where it can do no harm.
      if (HARMFUL.test(name)) return;
      const shown = headerOf(parseMail(message), 'to')[0]?.replace(/ ?<?alice@example\.com>?$/, '') ?? '';
      expect(shown.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/g, '$1')).toBe(name);
    });
  });

  test.each(STRANGE)('a subject %s stays a subject', async (_, words) => {
    const subject = `Invoice ${words}`;
    const message = await deliverOrRefuse(aMail({ subject }));
    if (message === undefined) return;
    expectOneRecipient(message, 'alice@example.com');
    const shown = headerOf(parseMail(message), 'subject');
    expect(shown).toHaveLength(1);
    if (!HARMFUL.test(words)) expect(shown[0]?.trim()).toBe(subject.trim());
  });

  const NO_ADDRESSES: [string, string][] = [
    ['two addresses', 'alice@example.com, eve@evil.example'],
    ['two addresses without a space', 'alice@example.com,eve@evil.example'],
    ['two addresses and a semicolon', 'alice@example.com; eve@evil.example'],
    ['a name and an address', 'Eve <eve@evil.example>'],
    ['brackets that close early', 'alice@example.com>, <eve@evil.example'],
    ['a group', 'Friends: alice@example.com, eve@evil.example;'],
    ['a comment', 'alice@example.com (eve@evil.example)'],
    ['a header behind a line break', 'alice@example.com\r\nBcc: eve@evil.example'],
    ['a header behind a newline', 'alice@example.com\nBcc: eve@evil.example'],
    ['a command behind a line break', 'alice@example.com>\r\nRCPT TO:<eve@evil.example'],
    ['a space', 'alice example@example.com'],
    ['two at signs', 'alice@evil.example@example.com'],
    ['a source route', '@evil.example:alice@example.com'],
    ['no at sign', 'alice'],
    ['nobody', '@example.com'],
    ['nowhere', 'alice@'],
  ];

  test.each(NO_ADDRESSES)('an address of %s names one recipient at most', async (_, address) => {
    const message = await deliverOrRefuse(aMail({ to: { name: 'Alice', address } }));
    if (message !== undefined) expectOneRecipient(message);
  });

  test('what is no address is refused, not sent to whatever can be made of it', async () => {
    const sent: string[] = [];
    for (const address of [...NO_ADDRESSES.map(([, address]) => address), '', '   ']) {
      const message = await deliverOrRefuse(aMail({ to: { name: 'Alice', address } }));
      if (message !== undefined) sent.push(`${address} → ${rawHeaderOf(message, 'to')}`);
    }
    expect(sent).toEqual([]);
  });

  test.each<[string, string, RegExp]>([
    ['a tag', 'alice+invoices@example.com', /^alice\+invoices@example\.com$/],
    ['an apostrophe', "o'neil@example.com", /^o'neil@example\.com$/],
    ['a domain in another script', 'alice@żółw.example', /^alice@(?:żółw|xn--[a-z0-9-]+)\.example$/],
  ])('an address with %s is sent to', async (_, address, written) => {
    const message = await deliver(aMail({ to: { name: 'Alice', address } }));
    const [recipient = '', ...others] = recipientsOf(rawHeaderOf(message, 'to'));
    expect(recipient).toMatch(written);
    expect(others).toEqual([]);
  });
}
