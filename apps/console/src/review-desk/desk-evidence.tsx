import { Person, UserText, StatusBadge } from '../components/inline';
import { Panel } from '../components/page';
import { WhyPanel } from '../voices/grade-panel';
import { measuredRows, toneOf, valueText } from '../voices/measurement-table';
import type { VoiceDetail } from '../voices/voice-query';

/** Measurements beside the player: those that cost most. */
const MEASURED = 4;
const [WORST, BEST] = [1, 5];

export function DeskEvidence({ voice }: { voice: VoiceDetail }) {
  const { verdict } = voice;
  return (
    <>
      {verdict && verdict.targets.length > 0 && (
        <Panel title="Measured" note="what costs most first">
          <ul className="gr-evidence" aria-label="Measured">
            {measuredRows(verdict.targets, verdict.impairments)
              .slice(0, MEASURED)
              .map((row) => (
                <li key={row.measurement}>
                  <StatusBadge tone={toneOf(row)}>{row.label}</StatusBadge>
                  <b>{valueText(row)}</b>
                  <span className="gr-dimmed gr-small">
                    {row.met ? 'met' : 'aim'}: {row.target}
                  </span>
                </li>
              ))}
          </ul>
        </Panel>
      )}
      <OthersPanel voice={voice} />
      <WhyPanel voice={voice} />
      {voice.voice.description !== '' && (
        <Panel title="The customer asked for">
          <blockquote className="gr-quote">
            <UserText>{voice.voice.description}</UserText>
          </blockquote>
        </Panel>
      )}
    </>
  );
}

/** The newest score of the rules, of a model, and the grades that people gave. */
function OthersPanel({ voice: { history, verdict } }: { voice: VoiceDetail }) {
  const opinion = verdict?.second_opinion;
  const rules = history.find(({ score }) => score !== null);
  const people = history.filter(({ decided_by: by }) => by !== 'ruleset');
  const heard: [who: string, score: number | null | undefined, grade?: string][] = [
    ['Rules', rules?.score],
    ['Model', opinion?.p808 ?? opinion?.ovrl],
    ...people.map(({ decided_by: by, grade }): [string, null, string] => [by, null, grade]),
  ];
  const known = heard.filter(([, score, grade]) => typeof score === 'number' || grade !== undefined);
  if (known.length === 0) return null;
  return (
    <Panel title="How others heard it">
      <ul className="gr-evidence" aria-label="How others heard it">
        {known.map(([who, score, grade], place) => (
          <li key={place}>
            <Person by={who} />
            <b>{grade ?? score!.toFixed(2)}</b>
            {typeof score === 'number' && (
              <span className="gr-meter" aria-hidden>
                <i
                  style={{ left: `${((score - WORST) / (BEST - WORST)) * 100}%`, background: 'var(--d1)' }}
                />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
