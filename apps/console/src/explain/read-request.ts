import { isRequestId } from '@app/domain/common/request-ids';
import { lastFourOf, SECRET_PATTERN, withoutSecrets } from '@app/domain/keys/secret-text';

/** What a pasted text says of a request. Never holds a secret, only its last four characters. */
export interface RequestDescription {
  method?: string;
  path?: string;
  /** Credits, as far as its body says: one for each character to be spoken. */
  cost?: string;
  /** What finds the key, or the request that was sent: the last four of a secret, an id, a name. */
  find?: string;
}

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const SPOKEN = /^\/v1\/text-to-(?:speech|voice)\//;
const BODY = /^(?:-d|-F|-T|--json|--data(?:-\w+)?|--form(?:-string)?|--upload-file)$/;
const WITH_VALUE =
  /^(?:-[XHdFTuAoebcmxw]|--(?:request|header|user|user-agent|output|cookie|cookie-jar|url|max-time|connect-timeout|proxy|cacert|write-out|json|data(?:-\w+)?|form(?:-string)?|upload-file))$/;

/** Reads a curl command, `POST /v1/…`, a URL, a request id, or the last four of a secret; else it is a text to find a key by. */
export function readRequest(pasted: string): RequestDescription {
  const text = pasted.trim();
  const secret = SECRET_PATTERN.exec(text)?.[0];
  const find = secret === undefined ? undefined : lastFourOf(secret);
  const request = text.startsWith('curl') ? readCurl(text) : readLine(text);
  if (request !== null) return { ...request, find };
  if (find !== undefined) return { find };
  return text === '' ? {} : { find: isRequestId(text) ? text.toLowerCase() : withoutSecrets(text) };
}

function readCurl(text: string): RequestDescription | null {
  const words = shellWords(text);
  let method: string | undefined;
  let url: string | undefined;
  let body: string | undefined;
  for (let place = 1; place < words.length; place++) {
    const word = words[place]!;
    if (!word.startsWith('-')) {
      url ??= word;
      continue;
    }
    const [option, attached] = splitOption(word);
    const value = attached ?? (WITH_VALUE.test(option) ? words[++place] : undefined);
    if (option === '-X' || option === '--request') method = value;
    else if (option === '--url') url = value;
    else if (option === '-I' || option === '--head') method ??= 'HEAD';
    else if (option === '-G' || option === '--get') method ??= 'GET';
    else if (BODY.test(option)) body = value ?? '';
  }
  const path = url === undefined ? null : pathOf(url);
  if (path === null) return null;
  const cost = costOf(path, body);
  return { method: known(method) ?? (body === undefined ? 'GET' : 'POST'), path, ...(cost && { cost }) };
}

/** What a request for speech costs, by its body; undefined when that does not say. */
function costOf(path: string, body = ''): string | undefined {
  if (!SPOKEN.test(path)) return undefined;
  try {
    const { text } = JSON.parse(body) as { text?: unknown };
    return typeof text === 'string' ? String([...text].length) : undefined;
  } catch {
    return undefined;
  }
}

function readLine(text: string): RequestDescription | null {
  const [, method, url] = /^(?:([A-Za-z]+)\s+)?(\S+)$/.exec(text) ?? [];
  if (url === undefined || !/^(?:https?:\/\/|\/)/.test(url)) return null;
  const path = pathOf(url);
  return path === null ? null : { method: known(method) ?? 'GET', path };
}

const known = (method: string | undefined) => METHODS.find((each) => each === method?.toUpperCase());

function pathOf(url: string): string | null {
  try {
    const { pathname, search } = new URL(
      /^https?:/.test(url) || url.startsWith('/') ? url : `http://${url}`,
      'http://host',
    );
    return withoutSecrets(pathname + search);
  } catch {
    return null;
  }
}

/** `-XPOST` and `--request=POST` as an option and its value. */
function splitOption(word: string): [option: string, value?: string] {
  if (word.startsWith('--')) {
    const [option = '', ...value] = word.split('=');
    return value.length === 0 ? [option] : [option, value.join('=')];
  }
  return word.length > 2 && WITH_VALUE.test(word.slice(0, 2)) ? [word.slice(0, 2), word.slice(2)] : [word];
}

/** The words of a command as a shell reads them: quotes, escapes and continued lines. */
function shellWords(text: string): string[] {
  const pieces = text.replace(/[\\^`]\r?\n/g, ' ').match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs);
  return (pieces ?? []).map((word) =>
    word.replace(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
      (_, plain?: string, quoted?: string, escaped?: string) =>
        plain ?? quoted?.replace(/\\(.)/gs, '$1') ?? escaped ?? '',
    ),
  );
}
