import type { UnderstoodDescription } from '@app/voice-engine/voice-description';
import { Stack } from '@mantine/core';
import { Facts } from '../components/facts';
import { UserText } from '../components/name';
import { Banner } from '../components/banner';
import { humanize } from '../components/number';
import { Panel } from '../components/page';
import type { VoiceDetail } from './voice-query';

/** Of recordings (ISO 639-2, "undetermined"). */
const UNKNOWN_LANGUAGE = 'und';

/** What the customer described, and how the engine understood it. Engines differ in what they report. */
export function DescriptionPanel({ voice: { voice, engine } }: { voice: VoiceDetail }) {
  const understood = (engine.understood ?? {}) as Partial<UnderstoodDescription>;
  const { matched = [], negated = [], unmatched = [], unavailableAccent = null } = understood;
  return (
    <Panel title="Description">
      <Stack gap="sm">
        <p className="gr-cause">
          <UserText>{voice.description || 'No description.'}</UserText>
        </p>
        <Facts
          facts={[
            [
              'Engine',
              engine.language === UNKNOWN_LANGUAGE ? engine.name : `${engine.name}, ${engine.language}`,
            ],
            ...matched.map(({ attribute, words: said, value }): [string, string] => [
              humanize(attribute),
              `${humanize(String(value))}, from “${said}”`,
            ]),
            ...Object.entries(understood.traits ?? {})
              .filter(([trait]) => !matched.some(({ attribute }) => attribute === trait))
              .map(([trait, value]): [string, string] => [humanize(trait), String(value)]),
            ...(negated.length > 0 ? [['Excluded', negated.join(', ')] as [string, string]] : []),
          ]}
        />
        {unmatched.length > 0 && (
          <Banner tone="warn">Not understood: {unmatched.map((word) => `“${word}”`).join(', ')}.</Banner>
        )}
        {unavailableAccent !== null && (
          <Banner tone="warn">The accent “{unavailableAccent}” was requested and is not available.</Banner>
        )}
        <details>
          <summary>All parameters of the engine</summary>
          <pre className="gr-cause gr-mono" tabIndex={0}>
            {JSON.stringify(engine.spec, null, 2)}
          </pre>
        </details>
      </Stack>
    </Panel>
  );
}
