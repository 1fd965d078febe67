/** The 49,000 passwords that are used most, in lower case, by zxcvbn. Read when somebody chooses a password. */
export async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}
