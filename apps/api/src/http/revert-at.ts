import type { KeyUndo } from '@app/database/keys/key-undo.entity';
import type { UndoneSetting } from '@app/domain/audit/undone-settings';
import { checkTime } from '@app/domain/common/field-checks';
import { InvalidInput } from '@app/domain/common/invalid-input';
import { toTime } from '@app/domain/common/times';
import { DAY_MS } from '@app/domain/common/utc-days';
import { DomainError } from '@app/domain/errors';
import { CheckedField } from './fields';

const MAX_REVERT_MS = 366 * DAY_MS;

/** The time when a change is reverted unless it is kept, for an increase that ends; left out for never. */
export const RevertAtField = () => CheckedField(checkTime, { optional: true });

/**
 * When a change is reverted; null for never.
 *
 * @param isElsewhere whether the body says the same by another field
 * @throws InvalidInput for a time that has passed or is too far away
 */
export function toRevertAt(text: string | undefined, { isElsewhere = false } = {}): Date | null {
  const dueAt = toTime(text);
  if (dueAt === undefined) return null;
  const awayMs = dueAt.getTime() - Date.now();
  if (awayMs > 0 && awayMs <= MAX_REVERT_MS && !isElsewhere) return dueAt;
  const accepted = `a time within 366 days from now${isElsewhere ? ', without undo_after_minutes' : ''}`;
  throw new InvalidInput([
    {
      type: 'value_error',
      path: ['revert_at'],
      msg: `Input should be ${accepted}`,
      input: text,
      ctx: { accepted },
    },
  ]);
}

/** What a setting was before its last change, and when it is reverted. */
export interface SettingUndo<Setting extends UndoneSetting> {
  setting: Setting;
  /** As the API has it: permissions `all`, a limit null for none. */
  before: unknown;
  changed_by: string;
  changed_at: string;
  /** When it is reverted automatically; null when only by hand. */
  due_at: string | null;
}

/** Those of some settings. */
export function toSettingUndos<Setting extends UndoneSetting>(
  undos: readonly KeyUndo[],
  settings: readonly Setting[],
): SettingUndo<Setting>[] {
  return undos.flatMap(({ setting: name, before, changedBy, changedAt, dueAt }) => {
    const setting = settings.find((known) => known === name);
    if (setting === undefined) return [];
    return [
      {
        setting,
        before: setting === 'permissions' ? (before ?? 'all') : before,
        changed_by: changedBy,
        changed_at: changedAt.toISOString(),
        due_at: dueAt?.toISOString() ?? null,
      },
    ];
  });
}

/** @throws DomainError `setting_not_found` */
export function toSetting<Setting extends string>(text: string, settings: readonly Setting[]): Setting {
  const setting = settings.find((known) => known === text);
  if (setting !== undefined) return setting;
  throw new DomainError('setting_not_found', {
    setting: text.slice(0, 100),
    accepted: settings.join(', '),
  });
}
