import { Button, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { CopyableId } from '../components/copy-button';
import { Panel } from '../components/page';
import { useFields, useRefusal } from '../components/use-fields';
import { useMay } from '../api/me';
import { curationOf, type VoiceDetail } from './voice-query';

interface AliasesPanelProps {
  voice: VoiceDetail;
  onDone: (text: string, saved: VoiceDetail) => void;
}

/** Ids under which programs of the customer find a voice, because they have them built in. */
export function AliasesPanel({ voice, onDone }: AliasesPanelProps) {
  const [isOpen, setOpen] = useState(false);
  const mayEdit = useMay()('accounts.write');
  if (voice.aliases.length === 0 && !mayEdit) return null;
  return (
    <Panel title="Aliases">
      <Stack gap="sm" align="start">
        {voice.aliases.length === 0
          ? 'Programs of the customer find this voice under its own id only.'
          : voice.aliases.map((alias) => <CopyableId key={alias} id={alias} what="the alias" />)}
        {mayEdit && (
          <Button variant="default" onClick={() => setOpen(true)}>
            Change the aliases…
          </Button>
        )}
      </Stack>
      {isOpen && <AliasesDialog voice={voice} onDone={onDone} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function AliasesDialog({ voice, onDone, onClose }: AliasesPanelProps & { onClose: () => void }) {
  const fields = useFields({ aliases: voice.aliases.join('\n') });
  const { problem, keep } = useRefusal();
  const save = async (reason: string) => {
    const body = { aliases: fields.values.aliases.split(/[\s,]+/).filter((alias) => alias !== ''), reason };
    const call = api.PUT('/admin/voices/{voice_id}/aliases', voice.voice.voice_id, body, curationOf(voice));
    onDone('The aliases are saved.', await call.catch(keep));
  };
  return (
    <ActionDialog
      title="Aliases of the voice"
      of={voice.voice.name}
      consequence="Programs of this account that have such an id built in speak with this voice. Other accounts do not find it."
      action="Save the aliases"
      fields={['aliases']}
      onConfirm={save}
      onClose={onClose}
    >
      <Textarea
        label="Aliases"
        description="One on each line: 20 letters and digits"
        placeholder="21m00Tcm4TlvDq8ikWAM"
        autosize
        minRows={2}
        {...fields.text('aliases', problem)}
      />
    </ActionDialog>
  );
}
