/**
 * A URL as it is meant: spaces around it are a slip of the person who wrote it, and those in it a mistake. So is a `%` that does not
 * begin the code of a byte of UTF-8: decoding it would fail where the login or the path is used, without the name of the variable.
 */
export function readUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  if (!URL.canParse(trimmed) || /\s/.test(trimmed)) return undefined;
  const url = new URL(trimmed);
  return [url.username, url.password, url.hostname, url.pathname].every(isDecodable) ? url : undefined;
}

function isDecodable(part: string): boolean {
  try {
    return decodeURIComponent(part) !== undefined;
  } catch {
    return false;
  }
}
