import { AlertRuleRepository, type NamedAlertRule } from '@app/database/alerts/alert-rule.repository';
import { sentence } from '@app/domain/common/sentences';
import { Injectable } from '@nestjs/common';
import { AlertRulesService } from '../alerts/alert-rules.service';
import { ruleProblems } from '../alerts/rule-problems';
import { entriesAt, FieldProblem, planPart, type FieldPath } from './file-part';
import type { FileAlertRule } from './key-file';
import {
  keyIdOf,
  keyOf,
  making,
  type Applying,
  type FilePlan,
  type FileScope,
  type MakeChange,
} from './key-file-plan';

type Settings = Required<Pick<FileAlertRule, 'channels' | 'enabled'>>;

/** Alert rules in files of keys: a file that lists them has all of an account and its keys. */
@Injectable()
export class FileRulesService {
  constructor(
    private readonly rules: AlertRuleRepository,
    private readonly service: AlertRulesService,
  ) {}

  async plan(scope: FileScope): Promise<FilePlan> {
    const { account, input, at } = scope;
    const stored = await this.rules.list(account.id);
    const targetOf = ({ id: ruleId, version }: NamedAlertRule, { request }: Applying) => {
      return { ...request, accountId: account.id, ruleId, expected: [version] };
    };
    return planPart<'rule', FileAlertRule, NamedAlertRule, Settings, MakeChange>({
      kind: 'rule',
      entries: entriesAt(input?.alert_rules, [...at, 'alert_rules']),
      stored,
      about: (rule) => ({ ...rule, name: ruleName(rule.kind, rule.threshold, rule.keyName) }),
      settingsOf: storedSettings,
      isRemoved: () => input?.alert_rules !== undefined,
      remove: (rule) => making((applying) => this.service.removing(targetOf(rule, applying))),
      read: (entry, path) => {
        const { kind, threshold = null, key = null, channels, enabled } = entry;
        const ofKey = keyOf(key, scope, path);
        requireFitting(entry, path);
        const keyId = ofKey && 'id' in ofKey ? ofKey.id : null;
        const present = stored.find(
          (rule) => rule.kind === kind && rule.threshold === threshold && rule.keyId === keyId,
        );
        const settings = {
          channels: [...new Set(channels)].sort(),
          ...(enabled !== undefined && { enabled }),
        };
        const isNew = !present || (ofKey !== null && keyId === null);
        return {
          present: isNew ? null : present,
          name: ruleName(kind, threshold, key),
          settings: isNew ? { kind, threshold, key, ...settings } : settings,
          extra: { ofKey },
          make: (after) =>
            making((applying) => {
              if (!isNew) return this.service.editing(targetOf(present, applying), after);
              const { request, secrets } = applying;
              const rule = { kind, threshold, enabled: true, ...settings, keyId: keyIdOf(ofKey, secrets) };
              return this.service.creating(request.actor, account.id, rule, request.reason);
            }),
        };
      },
    });
  }

  async export(accountId: string, ofKeys: ReadonlySet<string | null>): Promise<FileAlertRule[]> {
    const stored = await this.rules.list(accountId);
    return stored
      .filter(({ keyId }) => ofKeys.has(keyId))
      .map((rule) => ({
        kind: rule.kind,
        ...(rule.threshold !== null && { threshold: rule.threshold }),
        ...(rule.keyId !== null && { key: rule.keyId }),
        ...storedSettings(rule),
      }));
  }
}

function requireFitting({ kind, threshold = null, key, channels }: FileAlertRule, path: FieldPath): void {
  const scope = key === undefined || key === null ? 'account' : 'key';
  const [problem] = ruleProblems({ kind, scope, threshold, channels });
  if (problem) throw new FieldProblem([...path, ...problem.path], sentence(problem.msg));
}

function storedSettings({ channels, enabled }: NamedAlertRule): Settings {
  return { channels: [...channels].sort(), enabled };
}

function ruleName(kind: string, threshold: number | null, key: string | null): string {
  return `${kind}${threshold === null ? '' : ` at ${threshold}`}${key === null ? '' : ` for ${key}`}`;
}
