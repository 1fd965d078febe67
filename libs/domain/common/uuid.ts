const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Whether a text has the form of an internal id (account, key, member of staff), in lower case: as PostgreSQL writes them, and
 * what is sealed for an id is sealed for that text. Other texts name nothing and need no look-up.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
