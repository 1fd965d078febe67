import type { ImportOutcome } from '@app/administration/keys/key-import.service';
import { BooleanField, StringField } from '../http/fields';
import { ReasonBody } from '../http/reason';

/** As large as a body may be. */
const MAX_CSV = 1_000_000;

export class ImportKeysBody extends ReasonBody {
  /**
   * A line with the names of the columns, then a key a line. `name`, and either `secret` or `sha256` (hex or base64) with
   * `last_four`; and if you like `prefix`, `permissions` (with spaces between them), `credit_limit`, `external_id`.
   */
  @StringField({ min: 1, max: MAX_CSV })
  csv: string;

  /** Nothing is imported. */
  @BooleanField({ optional: true })
  dry_run?: boolean;
}

export interface KeyImportResponse extends ReturnType<typeof toImportResponse> {}

export function toImportResponse({ keys, problems, problemLines }: ImportOutcome, dryRun: boolean) {
  return {
    dry_run: dryRun,
    /** Imported, or in a dry run: how many would be if the other lines were left out. */
    keys,
    /** The first hundred lines that are not accepted; empty when keys were imported. */
    problems: problems.map(({ line, problem }) => ({ line, problem })),
    /** How many lines are not accepted. */
    problem_lines: problemLines,
  };
}
