import type { UnderstoodDescription } from '@app/voice-engine/voice-description';
import { Textarea } from '@mantine/core';
import { api, useMay } from '../api/client';
import { OpenButton, type Closing } from '../components/action-dialog';
import { Banner } from '../components/banner';
import { CopyableId, UserText } from '../components/inline';
import { Facts, Panel } from '../components/page';
import { humanize } from '../components/number';
import { useFields } from '../components/fields';
import { VoiceDialog, type VoiceActionProps } from './voice-actions';
import { type VoiceDetail, curationOf } from './voice-query';

/** Of recordings (ISO 639-2, "undetermined"). */
const UNKNOWN_LANGUAGE = 'und';

export function DescriptionPanel({ voice: { voice, engine } }: { voice: VoiceDetail }) {
  const understood = (engine.understood ?? {}) as Partial<UnderstoodDescription>;
  const { matched = [], negated = [], unmatched = [], unavailableAccent = null } = understood;
  return (
    <Panel title="Description" gap="sm">
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
    </Panel>
  );
}

/** Ids under which programs of the customer find a voice, because they have them built in. */
export function AliasesPanel({ voice, onDone }: VoiceActionProps) {
  const mayEdit = useMay()('accounts.write');
  if (voice.aliases.length === 0 && !mayEdit) return null;
  return (
    <Panel title="Aliases" gap="sm" align="start">
      {voice.aliases.length === 0
        ? 'Programs of the customer find this voice under its own id only.'
        : voice.aliases.map((alias) => <CopyableId key={alias} id={alias} what="the alias" />)}
      {mayEdit && (
        <OpenButton label="Change the aliases…">
          {(close) => <AliasesDialog voice={voice} onDone={onDone} onClose={close} />}
        </OpenButton>
      )}
    </Panel>
  );
}

function AliasesDialog(props: VoiceActionProps & Closing) {
  const { voice } = props;
  const fields = useFields({ aliases: voice.aliases.join('\n') });
  const aliases = fields.values.aliases.split(/[\s,]+/).filter((alias) => alias !== '');
  const at = '/admin/voices/{voice_id}/aliases';
  return (
    <VoiceDialog
      {...props}
      title="Aliases of the voice"
      consequence="Programs of this account that have such an id built in speak with this voice. Other accounts do not find it."
      action="Save the aliases"
      done="The aliases are saved."
      form={fields}
      change={(reason) => api.PUT(at, voice.voice.voice_id, { aliases, reason }, curationOf(voice))}
    >
      <Textarea
        label="Aliases"
        description="One on each line: 20 letters and digits"
        placeholder="21m00Tcm4TlvDq8ikWAM"
        rows={2}
        {...fields.text('aliases')}
      />
    </VoiceDialog>
  );
}
