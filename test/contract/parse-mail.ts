/** A message as a receiver reads it. Only what our mails use; anything else fails the test that meets it. */
export interface ParsedMail {
  /** Names in lower case, unfolded and decoded, in their order. */
  headers: [name: string, value: string][];
  /** Media type without parameters → decoded text. */
  parts: Map<string, string>;
}

export function parseMail(message: string): ParsedMail {
  const text = message.replaceAll('\r\n', '\n');
  const { headers, body } = splitHeaders(text);
  const type = rawHeader(headers, 'content-type');
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  if (!/^multipart\/alternative/.test(type) || !boundary) throw new Error(`Not two alternatives: ${type}`);
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.replace(/^\n/, '').replace(/\n$/, ''));
  return {
    headers: headers.map(([name, value]) => [name, decodeWords(value)]),
    parts: new Map(parts.map(parsePart)),
  };
}

/** Values of all headers of this name. */
export const headerOf = ({ headers }: ParsedMail, name: string): string[] =>
  headers.filter(([other]) => other === name).map(([, value]) => value);

function splitHeaders(text: string): { headers: [string, string][]; body: string } {
  const end = text.indexOf('\n\n');
  const lines = text
    .slice(0, end)
    .replace(/\n[ \t]+/g, ' ')
    .split('\n');
  const headers = lines.map((line): [string, string] => {
    const match = /^([!-9;-~]+): ?(.*)$/.exec(line);
    if (!match?.[1]) throw new Error(`Not a header: ${line}`);
    return [match[1].toLowerCase(), match[2] ?? ''];
  });
  return { headers, body: text.slice(end + 2) };
}

function rawHeader(headers: [string, string][], name: string): string {
  return headers.find(([other]) => other === name)?.[1] ?? '';
}

function parsePart(part: string): [string, string] {
  const { headers, body } = splitHeaders(part);
  const type = rawHeader(headers, 'content-type').split(';')[0] ?? '';
  switch (rawHeader(headers, 'content-transfer-encoding').toLowerCase()) {
    case 'base64':
      return [type, Buffer.from(body, 'base64').toString()];
    case 'quoted-printable':
      return [type, quotedPrintable(body.replace(/=\n/g, ''))];
    default:
      return [type, body];
  }
}

function quotedPrintable(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** RFC 2047, with the space between two encoded words dropped. */
function decodeWords(value: string): string {
  return value.replace(/\?=\s+=\?/g, '?==?').replace(/(?:=\?UTF-8\?[BQ]\?[^?]*\?=)+/gi, (words) => {
    const bytes = [...words.matchAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi)].map(([, kind, data = '']) =>
      kind?.toUpperCase() === 'B'
        ? Buffer.from(data, 'base64')
        : Buffer.from(quotedPrintableBytes(data.replaceAll('_', ' '))),
    );
    return Buffer.concat(bytes).toString();
  });
}

const quotedPrintableBytes = (text: string) =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );

/**
 * Whom a To header, as it stands in the message, names. What is quoted or in brackets is taken as one, as a
 * receiver takes it; a group or a list comes out as the mailboxes that it would be taken for.
 */
export function recipientsOf(rawTo: string): string[] {
  const addresses: string[] = [];
  const plain = rawTo
    .replace(/"(?:[^"\\]|\\.)*"/g, 'quoted')
    .replace(/<([^<>]*)>/g, (_, address) => `#${addresses.push(address) - 1}`);
  return plain
    .split(/[,;:]/)
    .map((mailbox) => mailbox.trim())
    .filter((mailbox) => mailbox !== '')
    .map((mailbox) => addresses[Number(/#(\d+)$/.exec(mailbox)?.[1])] ?? mailbox);
}

/** The header as it stands in the message, unfolded and not decoded. */
export function rawHeaderOf(message: string, name: string): string {
  return rawHeader(splitHeaders(message.replaceAll('\r\n', '\n')).headers, name);
}
