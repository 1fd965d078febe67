/** The 49,000 passwords that are used most, in lower case, by zxcvbn. Read when a password is chosen. */
export async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
