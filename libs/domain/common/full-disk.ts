const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** Whether something failed because a disk of this machine has no room, by the code of its error or of what caused that. */
export function isOfFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, cause } = error as NodeJS.ErrnoException;
  return FULL.has(code ?? '') || isOfFullDisk(cause);
}
