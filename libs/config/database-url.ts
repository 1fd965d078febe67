import { readUrl } from './read-url';

/** Values of `sslmode` with which the driver checks the certificate and its name as with `verify-full`, and warns of them. */
export const STRICT_SSL_MODES = ['prefer', 'require', 'verify-ca'];

/** What a server has to be that is chosen of several, by the names of libpq. */
const TARGETS = ['any', 'primary', 'standby', 'read-write', 'read-only'];

const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#,]+(?:,[^@/?#,]+)+)((?:[/?#].*)?)$/s;
const HOST = /^([\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/i;

/** The name of the database, behind what says where it is. */
const NAME = /^([^:]+:\/\/[^/?#]*\/)([^?#]+)/;

/**
 * The URL of a PostgreSQL as its connections read it. Several hosts, as in `postgres://one:5432,two:5432/db`, become one host and
 * the list of all in `hosts`, since a URL has only one. The driver leaves the codes of `;/:@&=+$,` in the name of a database as they are, so
 * that they stand there as themselves; a name with `?` or `#` cannot be written.
 *
 * @returns undefined when it is not one
 */
export function databaseUrl(text: string): string | undefined {
  const withHost = withOneHost(text.trim());
  const parsed = readUrl(withHost ?? '');
  if (withHost === undefined || !parsed || /%(3f|23)/i.test(parsed.pathname)) return undefined;
  const { protocol, searchParams } = parsed;
  const target = searchParams.get('target_session_attrs');
  if (!/^postgres(ql)?:$/.test(protocol) || (target !== null && !TARGETS.includes(target))) return undefined;
  const url = withHost.replace(
    NAME,
    (_, place: string, name: string) => place + encodeURI(decodeURIComponent(name)),
  );
  if (searchParams.has('uselibpqcompat')) return url;
  return url.replace(/([?&]sslmode=)([\w-]+)/, (all: string, name: string, mode: string) =>
    STRICT_SSL_MODES.includes(mode) ? `${name}verify-full` : all,
  );
}

function withOneHost(text: string): string | undefined {
  const [, login = '', list = '', rest = ''] = SEVERAL.exec(text) ?? [];
  if (list === '') return text;
  const places = list.split(',').map((entry) => {
    const [, host, port = '5432'] = HOST.exec(entry) ?? [];
    return host === undefined || Number(port) > 65_535 ? undefined : `${host}:${port}`;
  });
  if (places.includes(undefined)) return undefined;
  return `${login}${places[0]}${rest}${rest.includes('?') ? '&' : '?'}hosts=${places.join(',')}`;
}
