import { Button, Group, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/client';
import { fieldProblem } from '../api/problem';
import { plainName } from '../components/inline';
import { Panel } from '../components/page';
import { ProblemBanner } from '../components/banner';
import { ReasonField, useReason } from '../components/reason-field';
import { submitting } from '../components/fields';
import { ComparedRecordings, type ComparedSide } from './compared-recordings';
import { fetchRecording, measuredOf, SampleChoice } from './listen-panel';
import { voiceQuery, type VoiceDetail } from './voice-query';

const PAUSE_MS = 200;

export function ComparePanel({ voice }: { voice: VoiceDetail }) {
  const [isOpen, setOpen] = useState(false);
  const [otherId, setOtherId] = useState(voice.voice.voice_id);
  const other = useQuery({ ...voiceQuery(otherId), enabled: otherId !== voice.voice.voice_id });
  const otherVoice = otherId === voice.voice.voice_id ? voice : other.data;
  const [ownSample, setOwnSample] = useState(voice.voice.samples[0]?.sample_id);
  const [chosen, setChosen] = useState<string | null>(null);
  const samples = otherVoice?.voice.samples ?? [];
  const otherSample =
    samples.find(({ sample_id }) => sample_id === chosen)?.sample_id ?? samples.at(-1)?.sample_id;
  const isSame = ownSample === otherSample;
  const reason = useReason();
  const compare = useMutation({
    mutationFn: async (): Promise<[ComparedSide, ComparedSide]> => {
      const a = await toSide(voice, ownSample, reason.trimmed);
      return [a, await toSide(otherVoice!, otherSample, reason.trimmed)];
    },
    onSuccess: reason.remember,
  });
  useEffect(
    () => () => compare.data?.forEach(({ recording }) => URL.revokeObjectURL(recording.url)),
    [compare.data],
  );
  if (compare.data)
    return (
      <Panel
        title="Two recordings"
        actions={
          <Button variant="default" onClick={() => compare.reset()}>
            Compare with another
          </Button>
        }
      >
        <ComparedRecordings sides={compare.data} />
      </Panel>
    );
  if (!isOpen)
    return (
      <Group>
        <Button variant="default" onClick={() => setOpen(true)}>
          Compare with another recording…
        </Button>
      </Group>
    );
  return (
    <Panel title="Compare with another recording">
      <form onSubmit={submitting(() => reason.check() && compare.mutate())}>
        <Stack gap="sm">
          {voice.voice.samples.length > 1 && (
            <SampleChoice
              label="Recording of this voice"
              samples={voice.voice.samples}
              value={ownSample}
              onPick={setOwnSample}
            />
          )}
          <VoiceField onPick={setOtherId} />
          {otherVoice && samples.length > 1 && (
            <SampleChoice
              label="Recording to compare with"
              samples={samples}
              value={otherSample}
              onPick={setChosen}
            />
          )}
          <ReasonField
            reason={reason}
            label="Why are you listening to both?"
            description="The audit log keeps that you listened, and why."
            error={fieldProblem(compare.error, 'reason')}
          />
          <ProblemBanner error={compare.error ?? other.error} fields={['reason']} />
          <Group>
            <Button type="submit" loading={compare.isPending} disabled={isSame || !otherVoice}>
              Compare
            </Button>
            {isSame && <span className="gr-dimmed">Choose another recording first.</span>}
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

async function toSide(detail: VoiceDetail, sampleId: string | undefined, reason: string) {
  const sample = detail.voice.samples.find(({ sample_id }) => sample_id === sampleId);
  const graded = detail.verdict?.samples?.find((each) => each.sample_id === sampleId);
  return {
    name: detail.voice.name,
    fileName: sample?.file_name ?? '',
    grade: graded?.grade ?? detail.voice.recording_quality,
    measured: measuredOf(detail, sampleId),
    recording: await fetchRecording(detail.voice.voice_id, sampleId, reason),
  };
}

function VoiceField({ onPick }: { onPick: (id: string) => void }) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim().slice(0, 100), PAUSE_MS);
  const found = useQuery({
    queryKey: ['voices', 'pick', search],
    queryFn: () => api.GET('/admin/voices', { limit: '20', ...(search !== '' && { search }) } as never),
    placeholderData: keepPreviousData,
  });
  return (
    <Select
      label="Voice to compare with"
      placeholder="A part of its name, or its id"
      searchable
      searchValue={text}
      onSearchChange={setText}
      filter={({ options }) => options}
      data={(found.data?.items ?? []).map(({ voice_id, name, account }) => ({
        value: voice_id,
        label: `${plainName(name)} (${plainName(account.name ?? account.id)})`,
      }))}
      nothingFoundMessage={found.isFetching ? 'Searching…' : 'No voice has this name or id.'}
      comboboxProps={{ withinPortal: false }}
      onChange={(id) => id !== null && onPick(id)}
    />
  );
}
