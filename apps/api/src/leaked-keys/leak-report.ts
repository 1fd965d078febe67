import { SECRET_PATTERN } from '@app/domain/api-key-secret';
import { ValidationProblem, type WireProblem } from '../http/wire-problem';

/** One finding of a secret scanner. */
export interface LeakReport {
  token: string;
  /** What the scanner calls the form of the secret. */
  type: string;
  /** Where it was found; empty when the place is private. */
  url?: string | null;
  /** What it was found in: `commit`, `issue` … */
  source?: string | null;
}

/** What we say of a finding. The scanner learns nothing else. */
export interface LeakVerdict {
  token_raw: string;
  token_type: string;
  label: 'true_positive' | 'false_positive';
}

const MAX_REPORTS = 1_000;
const MAX_LENGTH = 200;

/** @throws ValidationProblem naming everything that is not accepted */
export function readReports(body: unknown): LeakReport[] {
  if (!Array.isArray(body) || body.length > MAX_REPORTS) {
    const msg = `Input should be a list of at most ${MAX_REPORTS} findings`;
    throw new ValidationProblem([{ type: 'list_type', loc: ['body'], msg, input: null }]);
  }
  const problems = body.flatMap((finding: unknown, place) => problemsOf(finding, place));
  if (problems.length > 0) throw new ValidationProblem(problems);
  return (body as Partial<LeakReport>[]).map(({ token = '', type = '', url, source }) => ({
    token,
    type,
    url: shorten(url ?? ''),
    source: shorten(source ?? 'an unknown kind of place'),
  }));
}

function problemsOf(finding: unknown, place: number): WireProblem[] {
  const fields = Object(finding) as Record<string, unknown>;
  return ['token', 'type', 'url', 'source']
    .filter((name) => !isAccepted(fields[name], name))
    .map((name) => ({
      type: 'string_type',
      loc: ['body', place, name],
      msg: 'Input should be a valid string',
      // A token may be a secret of somebody's: it is not sent back.
      input: null,
    }));
}

function isAccepted(value: unknown, name: string): boolean {
  const isRequired = name === 'token' || name === 'type';
  return typeof value === 'string' || (!isRequired && (value === undefined || value === null));
}

/** It ends up in the reason of an audit event, where no secret may stand. */
const shorten = (text: string): string => text.replace(SECRET_PATTERN, '…').slice(0, MAX_LENGTH);
