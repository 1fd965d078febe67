const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text has the form of an internal id (account, key, member of staff); other texts name nothing and need no look-up. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
