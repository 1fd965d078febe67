import { RECORDING_GRADES, type RecordingGrade } from '@app/domain/reviews/review-state';
import { Button, Group, Stack, TextInput, Title, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { api, queryClient, refresh, useMe } from '../api/client';
import { Person, AccountName, UserText, Name, Time, StatusBadge } from '../components/inline';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { Banner, ProblemBanner } from '../components/banner';
import { Choice, useFields } from '../components/fields';
import { named } from '../components/list-filters';
import { useKeys } from '../components/keyboard';
import { humanize } from '../components/number';
import { isSending } from '../components/pressed-key';
import { ReasonField, useReason } from '../components/reason-field';
import { SameSpeakerPanel } from '../voices/alike-panels';
import { findingsOf } from '../voices/findings';
import { fetchRecording, measuredOf } from '../voices/listen-panel';
import { Player } from '../voices/player';
import { GradeBadge, StateBadge } from '../voices/voice-badge';
import { voiceQuery, type VoiceDetail } from '../voices/voice-query';
import '../voices/voices.css';
import { DeskEvidence } from './desk-evidence';
import { DESK_KEY, itemQuery, KEEP_MS, peopleQuery, type DeskItem } from './desk-queries';

/** What each grade sounds like. */
const HEARD: Record<RecordingGrade, string> = {
  studio: 'nothing to hear',
  good: 'small flaws',
  ok: 'noticeable',
  poor: 'disturbing',
  bad: 'hardly usable',
};
const USUAL_REASON = 'Listened at the review desk';
const SNOOZES = named({ 60: 'For an hour', 1440: 'For a day', 4320: 'For three days' });

interface DeskItemProps {
  item: DeskItem;
  onDecided: (item: DeskItem) => void;
  /** The item was released or snoozed. */
  onLeft: () => void;
}

export function DeskItemPanel({ item, onDecided, onLeft }: DeskItemProps) {
  const me = useMe();
  const isBlind = item.blind && item.decided_at === null;
  const isMine = item.taken_by?.id === me.id && item.decided_at === null;
  // What was measured, and what others say, would tell what the first listener has heard.
  const voice = useQuery({ ...voiceQuery(item.voice.id), enabled: !isBlind }).data;
  return (
    <>
      <Stack gap="sm">
        <ItemHeader item={item} isBlind={isBlind} />
        {isMine && (
          <DecideForm key={item.id} item={item} voice={voice} onDecided={onDecided} onLeft={onLeft} />
        )}
        {item.decided_at !== null && (
          <Banner tone="good">
            {humanize(item.decision ?? 'decided')} by <Person by={item.decided_by} />{' '}
            <Time at={item.decided_at} relative />
            {item.decided_grade !== null && `: ${item.decided_grade}`}.
          </Banner>
        )}
        {item.decided_at === null && !isMine && <TakeBanner item={item} />}
        {voice && <SameSpeakerPanel voice={voice} />}
      </Stack>
      <Stack component="aside" aria-label="Evidence">
        {voice && <DeskEvidence voice={voice} />}
      </Stack>
    </>
  );
}

function ItemHeader({ item, isBlind }: { item: DeskItem; isBlind: boolean }) {
  const { voice, account, reasons, note, appeal } = item;
  return (
    <div>
      <Group className="gr-title" gap="4px 12px" c="dimmed">
        <Title order={2} size="h1">
          <Name>{voice.name}</Name>
        </Title>
        <DueTime item={item} />
        <AccountName account={account} />
        {!isBlind && (
          <>
            <StateBadge state={item.status} />
            <GradeBadge grade={item.recording_quality} />
            {item.score !== null && ` ${item.score.toFixed(2)} points`}
          </>
        )}
      </Group>
      <Group gap="xs" align="start">
        <div style={{ flex: '1 16rem' }}>
          <strong>Here because of {reasons.map(humanize).join(', ') || 'nothing any more'}.</strong>{' '}
          {note !== null && <UserText>{note}</UserText>}
          {isBlind &&
            ' A second listening: another person has graded this voice. Give it the grade that you hear. It changes nothing for the customer, and shows how far people agree.'}
        </div>
        {!isBlind && (
          <Link to={`/voices/${voice.id}`} className="gr-hint">
            All about it
          </Link>
        )}
        <AssignSelect item={item} />
      </Group>
      {appeal !== null && (
        <blockquote className="gr-quote">
          The customer says: <UserText>{appeal.text}</UserText>
        </blockquote>
      )}
    </div>
  );
}

function TakeBanner({ item }: { item: DeskItem }) {
  const { taken_by: holder } = item;
  const take = useMutation({
    mutationFn: () => api.POST('/admin/review-desk/{item_id}/take', item.id, { take_over: holder !== null }),
    onSuccess: (saved) => {
      queryClient.setQueryData(itemQuery(item.id).queryKey, saved);
      void refresh(DESK_KEY);
    },
  });
  useKeys(holder === null ? { t: () => take.mutate() } : {});
  return (
    <>
      <Banner tone={holder === null ? 'info' : 'warn'}>
        {item.snoozed_until !== null && (
          <div>
            Snoozed until <Time at={item.snoozed_until} />: <UserText>{item.snooze_note ?? ''}</UserText>
          </div>
        )}
        {holder === null ? (
          'It is free. Take it to decide.'
        ) : (
          <>
            <bdi>{holder.name}</bdi> has it until <Time at={item.taken_until} />. If you take it over, they
            can no longer decide, and it is on record.
          </>
        )}
      </Banner>
      <ProblemBanner error={take.error} />
      <Group>
        <Button variant="default" loading={take.isPending} onClick={() => take.mutate()}>
          {holder === null ? 'Take it (t)' : 'Take it over'}
        </Button>
      </Group>
    </>
  );
}

function DecideForm({ item, voice, onDecided, onLeft }: DeskItemProps & { voice: VoiceDetail | undefined }) {
  const current = item.recording_quality;
  const [grade, setGrade] = useState<RecordingGrade | null>(null);
  const fields = useFields({ answer: '', public_reason: '' });
  const needsResponse = item.appeal !== null && item.appeal.answer === null;
  const responseField = useRef<HTMLInputElement | null>(null);
  useEffect(() => void (grade !== null && responseField.current?.focus()), [grade]);
  const [snoozing, setSnoozing] = useState(false);
  const reason = useReason();
  const [hasListened, setListened] = useState(false);
  const heard = () => {
    setListened(true);
    if (reason.trimmed === '') reason.setText(USUAL_REASON);
  };
  useKeeping(item.id);
  const sample = voice?.voice.samples[0];
  const measured = voice && measuredOf(voice, sample?.sample_id);
  const listen = useMutation({
    mutationFn: () => fetchRecording(item.voice.id, undefined, `Review desk: ${item.reasons.join(', ')}`),
  });
  useEffect(() => () => listen.data && URL.revokeObjectURL(listen.data.url), [listen.data]);
  const decide = useMutation({
    mutationFn: (input: RecordingGrade) => {
      const body = {
        grade: input,
        public_reason: fields.values.public_reason.trim() || undefined,
        answer: fields.values.answer.trim() || undefined,
        reason: reason.trimmed,
        unheard: !hasListened,
      };
      return api.POST('/admin/review-desk/{item_id}/decide', item.id, body);
    },
    onSuccess: (saved) => {
      reason.remember();
      onDecided(saved);
    },
  });
  // Without playback, the reason has to say what the decision rests on.
  const isUnheard = !hasListened && (reason.trimmed === '' || reason.trimmed === USUAL_REASON);
  const [isRequested, setRequested] = useState(false);
  const submit = () => {
    setRequested(isUnheard);
    if (grade !== null && !isUnheard && !decide.isPending && reason.check()) decide.mutate(grade);
  };
  const release = useMutation({
    mutationFn: () => api.POST('/admin/review-desk/{item_id}/release', item.id),
    onSuccess: onLeft,
  });
  useKeys({
    Enter: submit,
    s: () => setSnoozing(true),
    ...Object.fromEntries(RECORDING_GRADES.map((each, index) => [5 - index, () => setGrade(each)])),
  });
  return (
    <Stack
      gap="sm"
      onKeyDown={(event) => {
        if (isSending(event.nativeEvent)) submit();
      }}
    >
      <Player
        recording={listen.data ?? null}
        durationSecs={sample?.duration_secs ?? 1}
        findings={measured ? findingsOf(measured) : []}
        lufs={measured?.loudnessLufs ?? null}
        markKey="m"
        isPending={listen.isPending}
        onListen={() => listen.mutate()}
        onHeard={hasListened ? undefined : heard}
      >
        {!listen.data && <span className="gr-dimmed">Press Space to listen.</span>}
      </Player>
      <ProblemBanner error={listen.error} />
      <div className="gr-grades" role="group" aria-label="Grade">
        {RECORDING_GRADES.map((each, index) => (
          <UnstyledButton key={each} aria-pressed={each === grade} onClick={() => setGrade(each)}>
            <kbd style={{ margin: 0 }}>{5 - index}</kbd> <strong>{each}</strong> <span>{HEARD[each]}</span>
            {!item.blind && each === current && <small aria-hidden>measured {item.score?.toFixed(2)}</small>}
          </UnstyledButton>
        ))}
      </div>
      {needsResponse && (
        <TextInput
          label="Answer to the appeal"
          ref={responseField}
          description="The customer reads it, whether the grade stays or not."
          required
          maxLength={500}
          {...fields.text('answer', decide.error)}
        />
      )}
      {!item.blind && !needsResponse && (
        <TextInput
          label="What the customer reads"
          description="Optional. The customer does not see your reason below."
          {...fields.text('public_reason', decide.error)}
        />
      )}
      {isRequested && isUnheard && (
        <Banner tone="warn" alert>
          Listen first (space), or say in the reason what the decision rests on.
        </Banner>
      )}
      <ReasonField reason={reason} />
      <ProblemBanner error={decide.error ?? release.error} fields={needsResponse ? ['answer'] : []} />
      <Group gap="xs">
        <Button disabled={grade === null} loading={decide.isPending} onClick={submit}>
          {grade !== null && grade === current
            ? 'Keep the grade, and next'
            : `Decide${grade === null ? '' : `: ${grade}`}, and next`}
          <kbd aria-hidden>Enter</kbd>
        </Button>
        <Button variant="default" onClick={() => setSnoozing(true)}>
          Snooze…<kbd aria-hidden>S</kbd>
        </Button>
        <Button variant="default" loading={release.isPending} onClick={() => release.mutate()}>
          Give it back
        </Button>
      </Group>
      {snoozing && <SnoozeDialog item={item} onDone={onLeft} onClose={() => setSnoozing(false)} />}
    </Stack>
  );
}

/** Keeps an item while its form is open. Who has lost it sees that when the item is read again. */
function useKeeping(itemId: string): void {
  useEffect(() => {
    const keep = async () => {
      await api
        .POST('/admin/review-desk/{item_id}/take', itemId, { take_over: false })
        .catch(() => refresh(itemQuery(itemId).queryKey));
    };
    const timer = setInterval(() => void keep(), KEEP_MS);
    return () => clearInterval(timer);
  }, [itemId]);
}

function SnoozeDialog({ item, onDone, onClose }: Closing & { item: DeskItem; onDone: () => void }) {
  const [minutes, setMinutes] = useState('1440');
  const snooze = async (note: string) => {
    const body = { minutes: Number(minutes), note };
    await api.POST('/admin/review-desk/{item_id}/snooze', item.id, body, item);
    onDone();
  };
  return (
    <ActionDialog
      title="Snooze"
      of={item.voice.name}
      consequence="It is not handed out until then. Your reason is shown beside it."
      action="Snooze it"
      onConfirm={snooze}
      onClose={onClose}
    >
      <Choice label="How long" data={SNOOZES} value={minutes} onPick={setMinutes} />
    </ActionDialog>
  );
}

function AssignSelect({ item }: { item: DeskItem }) {
  const { data } = useQuery(peopleQuery);
  const assign = useMutation({
    mutationFn: (staff_id: string | null) =>
      api.PUT('/admin/review-desk/{item_id}/assignee', item.id, { staff_id }, item),
    onSettled: () => refresh(DESK_KEY),
  });
  if (item.decided_at !== null) return null;
  const people = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <>
      <Choice
        aria-label="Assigned to"
        data={[{ value: '', label: 'For any reviewer' }, ...people]}
        value={item.assigned_to?.id ?? ''}
        maw={260}
        disabled={assign.isPending}
        onPick={(value) => assign.mutate(value || null)}
      />
      <ProblemBanner error={assign.error} />
    </>
  );
}

export function DueTime({ item: { due_at: dueAt, overdue } }: { item: DeskItem }) {
  return (
    <>
      <Time at={dueAt} relative /> {overdue && <StatusBadge tone="bad">overdue</StatusBadge>}
    </>
  );
}
