/** The request of a customer that a reverse proxy asks about. */
export interface ForwardedRequest {
  /** In upper case. */
  method: string;
  /** Without port and in lower case; null when the proxy does not say it. */
  host: string | null;
  /** Decoded and without its query. */
  path: string;
}

/** Where a proxy says what was requested. Headers are as Node gives them: several lines of one are one text. */
export interface ForwardedHead {
  /** Of the request that the proxy sends. */
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What follows `/introspect/forward` in the request's URL, with its query; it is a path only when it begins with `/`. */
  suffix: string;
}

type Read<T> = { ok: true; value: T } | { ok: false; reason: string };

/** The headers of nginx by its own documents, and of Caddy, Traefik and others. */
const FORMS = [
  { uri: 'x-original-uri', method: 'x-original-method' },
  { uri: 'x-forwarded-uri', method: 'x-forwarded-method' },
] as const;

const METHOD = /^[A-Z][A-Z-]{0,19}$/;
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?$/;
const MAX_URI = 8_000;
/** What servers read differently: an escaped slash, a backslash, an escape within an escape, parameters of a part, white space. */
const READ_DIFFERENTLY = /%2f|%5c|%25|%3b|[\\;#\s]/i;

/**
 * Reads what a customer has requested of a reverse proxy: from `x-original-uri` and `-method`, from `x-forwarded-uri` and
 * `-method`, or from what Envoy appends to the path. A path that two servers may read as different ones is refused: what is
 * decided here must be what is served behind the proxy.
 *
 * @returns the request, or why nothing can be decided about it
 */
export function readForwardedRequest({ method, headers, suffix }: ForwardedHead): Read<ForwardedRequest> {
  const forms = FORMS.filter(({ uri }) => headers[uri] !== undefined);
  const count = forms.length + (suffix.startsWith('/') ? 1 : 0);
  if (count === 0) {
    const accepted = `${FORMS.map(({ uri }) => uri).join(', ')}, or the path after /introspect/forward`;
    return refuse(`The proxy does not say which path was requested. Accepted: ${accepted}.`);
  }
  if (count > 1)
    return refuse('The path is given in more than one way; the proxy must remove what clients send.');
  const form = forms[0] ?? null;
  const uri = form ? textOf(headers[form.uri]) : suffix;
  const requested = form ? textOf(headers[form.method]) : method;
  if (requested === null || !METHOD.test(requested))
    return refuse(
      `${form?.method ?? 'The method'} is ${shown(requested)}; accepted is one method in upper case.`,
    );
  const path = readPath(uri ?? '');
  if (!path.ok) return path;
  const host = readHost(textOf(headers['x-forwarded-host']) ?? null);
  if (!host.ok) return host;
  return { ok: true, value: { method: requested, host: host.value, path: path.value } };
}

function readPath(uri: string): Read<string> {
  const [raw = ''] = uri.split('?', 1);
  const wrong = (why: string) => refuse(`The requested path ${shown(raw)} ${why}.`);
  if (!raw.startsWith('/') || uri.length > MAX_URI)
    return wrong(`is not one: it begins with / and has at most ${MAX_URI} characters`);
  if (READ_DIFFERENTLY.test(raw))
    return wrong(
      'has a backslash, semicolon, # or white space, or an escaped slash or percent sign, which servers read differently',
    );
  const decoded = decode(raw);
  if (decoded === null || /\p{Cc}/u.test(decoded)) return wrong('has escapes that are not accepted');
  const parts = decoded.split('/').slice(1);
  const ambiguous = parts.some(
    (part, at) => part === '.' || part === '..' || (part === '' && at < parts.length - 1),
  );
  return ambiguous ? wrong('has empty parts, or parts that are only dots') : { ok: true, value: decoded };
}

function readHost(input: string | null): Read<string | null> {
  if (input === null) return { ok: true, value: null };
  const [, host] = HOST.exec(input.toLowerCase()) ?? [];
  return host === undefined
    ? refuse(`x-forwarded-host is ${shown(input)}; accepted is one host.`)
    : { ok: true, value: host };
}

function decode(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

function textOf(header: string | string[] | undefined): string | null {
  return header === undefined ? null : String(header);
}

const refuse = (reason: string) => ({ ok: false as const, reason });

function shown(input: string | null): string {
  return input === null ? 'missing' : JSON.stringify(input.slice(0, 100));
}
