import type { CheckReport } from '@app/operations/check-row';

export interface OperationCheckResponse {
  name: string;
  /** What it looks at. */
  about: string;
  /** `skipped`: it cannot be said while another check fails. */
  status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** With figures; for anything but ok, also what to do. */
  detail: string;
  /** What to set or repair, in a few words. */
  remedy: string;
}

export function toOperationCheckResponse(
  { check: name, status, detail }: CheckReport[number],
  { about, remedy }: { about: string; remedy: string },
): OperationCheckResponse {
  return { name, about, status, detail, remedy };
}
