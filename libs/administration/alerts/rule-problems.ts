import type { AlertRule } from '@app/database/alerts/alert-rule.entity';
import { thresholdProblem } from '@app/domain/alerts/alert-kinds';
import { channelsOf, scopesOf } from '@app/domain/alerts/alert-rule';
import type { InputProblem } from '@app/domain/common/invalid-input';

/** Every part of a rule that does not fit its kind. */
export function ruleProblems({
  kind,
  scope,
  threshold,
  channels,
}: Pick<AlertRule, 'kind' | 'scope' | 'threshold' | 'channels'>): InputProblem[] {
  const problem = thresholdProblem(kind, threshold);
  const [scopes, possible] = [scopesOf(kind), channelsOf(kind)];
  const wrong = channels.find((channel) => !possible.includes(channel));
  const problems = [
    problem !== null && { path: ['threshold'], msg: problem, input: threshold },
    !scopes.includes(scope) && {
      path: ['kind'],
      msg: `Input should be a kind that is about accounts or keys: ${kind} is about the installation`,
      input: kind,
    },
    wrong !== undefined && {
      path: ['channels'],
      msg: `Input should be among ${possible.join(', ')} for ${kind}`,
      input: wrong,
    },
  ].filter((entry) => entry !== false);
  return problems.map((entry) => ({ type: 'value_error', ...entry }));
}
