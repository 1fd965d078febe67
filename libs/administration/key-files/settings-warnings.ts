import { plural } from '@app/domain/common/sentences';
import type { KeyPolicy } from '@app/database/key-policies/key-policy.entity';
import { isBeyond, latestExpiry } from '@app/domain/keys/key-policy';
import type { SettingsDryRun } from '../keys/key-dry-runs.service';
import { quoted } from './file-part';

const ROUTES_NAMED = 5;
const DAYS_NAMED = 3;

/** What settings of a key would have stopped, in sentences; empty when nothing. */
export function settingsWarnings(run: SettingsDryRun): string[] {
  const { days, permissions, creditLimit } = run;
  const within = `of the last ${plural(days, 'day')}`;
  const warnings: string[] = [];
  if (permissions && permissions.refused > 0) {
    const named = permissions.refusedUses.map(
      ({ route, requests, lastAt }) => `${route} (${requests}, last ${lastAt.toISOString()})`,
    );
    warnings.push(
      `These permissions would have refused ${permissions.refused} of ${plural(permissions.requests, 'request')} ${within}: ${first(named, ROUTES_NAMED)}.`,
    );
  }
  if (creditLimit && creditLimit.stoppedDays.length > 0) {
    const { stoppedDays, daysSpent } = creditLimit;
    warnings.push(
      `This credit limit would have stopped the key on ${stoppedDays.length} of ${daysSpent} days ${within} on which it spent credits: ${first(stoppedDays, DAYS_NAMED)}.`,
    );
  }
  for (const window of ['Second', 'Minute', 'Day'] as const) {
    const requests = run[`requestsPer${window}`];
    if (requests && requests.refused > 0)
      warnings.push(
        `These requests per ${window.toLowerCase()} would have refused at least ${requests.refusedAtLeast} of ${plural(requests.requests, 'request')} ${within}.`,
      );
  }
  return warnings;
}

/** What is said of a key that would work for longer than its policy accepts, in a sentence; null when it would not. */
export function lifetimeWarning(
  { name, expiresAt, secretCreatedAt }: { name: string; expiresAt: Date | null; secretCreatedAt: Date },
  policy: KeyPolicy | null,
): string | null {
  const latest = latestExpiry(policy, secretCreatedAt);
  if (!policy || !latest || !isBeyond(expiresAt, latest)) return null;
  const whose = policy.tier === null ? 'account' : `tier ${policy.tier}`;
  return `Expiry of the key ${quoted(name)}: ${expiresAt?.toISOString() ?? 'never'}. The policy of the ${whose} accepts a time until ${latest.toISOString()}, ${policy.maxLifetimeDays} days from its newest secret on.`;
}

function first(texts: readonly string[], count: number): string {
  const more = texts.length > count ? ` and ${texts.length - count} more` : '';
  return `${texts.slice(0, count).join(', ')}${more}`;
}
