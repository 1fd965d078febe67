/**
 * The URL of a PostgreSQL, as our configuration has it, in the form that libpq reads: a server connects with it to another one.
 * An `sslrootcert` is a file on the machine of that server.
 */
export function toConnection(url: string): string {
  const { username, password, pathname, host, searchParams } = new URL(url);
  const places = (searchParams.get('hosts') ?? host).split(',').map((place) => new URL(`tcp://${place}`));
  const sslmode = searchParams.get('sslmode');
  const values: Record<string, string | null> = {
    host: places.map(({ hostname }) => hostname.replace(/^\[|\]$/g, '')).join(),
    port: places.map(({ port }) => port || '5432').join(),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    dbname: decodeURIComponent(pathname.slice(1)),
    // libpq has no such mode: this one encrypts, and checks no certificate either.
    sslmode: sslmode === 'no-verify' ? 'require' : sslmode,
    sslrootcert: searchParams.get('sslrootcert'),
    target_session_attrs: searchParams.get('target_session_attrs'),
  };
  return Object.entries(values)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}='${value!.replace(/[\\']/g, String.raw`\$&`)}'`)
    .join(' ');
}
