import {
  canCancelReview,
  canTransition,
  RECORDING_GRADES,
  whyNotReviewAgain,
  type RecordingGrade,
} from '@app/domain/reviews/review-state';
import type { SafetyState } from '@app/domain/voices/voice-safety';
import { Button, Group, Textarea, TextInput } from '@mantine/core';
import { Choice, useFields } from '../components/fields';
import { useState } from 'react';
import { api, type Schema, useMay } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { ActionsMenu } from '../components/actions-menu';
import { useRequestedAction } from '../components/use-requested-action';
import { TAGS_HINT, toTags } from '../components/labels';
import { curationOf, type VoiceDetail } from './voice-query';

interface VoiceActionProps {
  voice: VoiceDetail;
  onDone: (text: string, saved: VoiceDetail) => void;
}

type Action = 'review' | 'override' | 'cancel' | 'share' | 'desk' | 'appeal' | 'safety' | 'release' | 'tags';

/** What can be done about a voice, as far as its state and the role let it: the likeliest as a button, the rest in a menu. */
export function VoiceActions(props: VoiceActionProps) {
  const [action, setAction] = useRequestedAction<Action>();
  const { status, shared_at: sharedAt, safety, appeal } = props.voice;
  const may = useMay();
  const dialog = { ...props, onClose: () => setAction(null) };
  const plain = action && plainActions(props.voice)[action];
  const mayOverride = canTransition(status, 'overridden');
  const choices: (readonly [Action, string, boolean])[] = [
    ['release', 'Release…', Boolean(safety)],
    ['override', 'Override the grade…', mayOverride],
    ['review', 'Review again…', whyNotReviewAgain(status, { force: true }) === null],
    ['cancel', 'Cancel the review…', canCancelReview(status)],
    ['desk', 'Send to the review desk…', true],
    ['appeal', 'Appeal for the customer…', mayOverride && appeal?.outcome !== null],
    ['tags', 'Tags…', true],
    ['safety', 'Hold or take down…', true],
    ['share', sharedAt === null ? 'Share with every account…' : 'Stop sharing…', may('voices.share')],
  ];
  const [primary, ...more] = choices.filter(([, , isPossible]) => isPossible);
  return (
    <Group gap="xs">
      <ActionsMenu actions={more.map(([choice, label]) => [choice, label] as const)} onPick={setAction} />
      <Button onClick={() => setAction(primary![0])}>{primary![1]}</Button>
      {action === 'appeal' && <AppealDialog {...dialog} />}
      {action === 'tags' && <TagsDialog {...dialog} />}
      {action === 'safety' && <SafetyDialog {...dialog} />}
      {action === 'override' && <OverrideDialog {...dialog} />}
      {plain && <PlainDialog {...dialog} plain={plain} />}
    </Group>
  );
}

type DialogProps = VoiceActionProps & { onClose: () => void };

interface PlainAction {
  title: string;
  consequence: string;
  action: string;
  dismiss?: string;
  danger?: boolean;
  done: string;
  /** Makes the change; a change of something else returns nothing of the voice. */
  change: (reason: string) => Promise<VoiceDetail | null>;
}

function PlainDialog({ voice, onDone, onClose, plain }: DialogProps & { plain: PlainAction }) {
  const { done, change, ...texts } = plain;
  const confirm = async (reason: string) => onDone(done, (await change(reason)) ?? voice);
  return <ActionDialog {...texts} of={voice.voice.name} onConfirm={confirm} onClose={onClose} />;
}

function plainActions(voice: VoiceDetail): Partial<Record<Action, PlainAction>> {
  const force = voice.status === 'overridden';
  const shared = voice.shared_at === null;
  return {
    review: {
      title: 'Review again',
      consequence: force
        ? 'A person has graded this voice. The new review replaces that grade, and the customer sees it in review until then.'
        : 'The recording is measured and graded again. The customer sees the voice in review until then.',
      action: 'Review it again',
      done: 'A new review was requested.',
      change: (reason) =>
        api.POST('/admin/voices/{voice_id}/re-review', voice.voice.voice_id, { reason, force }, voice),
    },
    cancel: {
      title: 'Cancel the review',
      consequence:
        'The voice loses its grade, and no further attempt starts until a new review is requested.',
      action: 'Cancel the review',
      dismiss: 'Keep the review',
      danger: true,
      done: 'The review was cancelled.',
      change: (reason) =>
        api.POST('/admin/voices/{voice_id}/cancel', voice.voice.voice_id, { reason }, voice),
    },
    desk: {
      title: 'Send to the review desk',
      consequence:
        'A person listens to it, before most other voices, and decides whether its grade stays. Your reason is shown there.',
      action: 'Send it there',
      done: 'The voice waits at the review desk.',
      change: async (reason) => {
        await api.POST('/admin/review-desk', {}, { voice_id: voice.voice.voice_id, reason });
        return null;
      },
    },
    release: {
      title: 'Release',
      consequence: 'It can be played and spoken with again at once. The account’s webhooks receive an event.',
      action: 'Release it',
      done: 'The voice is released.',
      change: (reason) => setSafety(voice, { state: 'released', notice: '', reason }),
    },
    share: {
      title: shared ? 'Share with every account' : 'Stop sharing',
      consequence: shared
        ? 'Every account sees its name, description, labels and recording, and can speak with it. If its account edits it, it leaves the catalogue.'
        : 'Other accounts can no longer see it or speak with it. Speech that they have generated stays.',
      action: shared ? 'Share it' : 'Stop sharing it',
      done: shared ? 'The voice is in the catalogue.' : 'The voice is no longer in the catalogue.',
      change: (reason) => {
        const body = { shared, reason };
        return api.PUT('/admin/voices/{voice_id}/sharing', voice.voice.voice_id, body, curationOf(voice));
      },
    },
  };
}

const setSafety = (voice: VoiceDetail, body: Schema['VoiceSafetyBody']) =>
  api.PUT('/admin/voices/{voice_id}/safety', voice.voice.voice_id, body, curationOf(voice));

function OverrideDialog({ voice, onDone, onClose }: DialogProps) {
  const [grade, setGrade] = useState<RecordingGrade>(voice.voice.recording_quality ?? 'ok');
  const fields = useFields({ public_reason: '' });
  const override = async (reason: string) => {
    const body = { grade, public_reason: fields.values.public_reason.trim() || undefined, reason };
    const saved = await api.POST('/admin/voices/{voice_id}/override', voice.voice.voice_id, body, voice);
    onDone(`The grade is “${grade}” now.`, saved);
  };
  return (
    <ActionDialog
      title="Override the grade"
      of={voice.voice.name}
      consequence="The customer sees your grade from now on. Bulk reviews do not change it."
      action="Override it"
      onConfirm={override}
      onClose={onClose}
    >
      <Choice label="Grade" value={grade} onPick={setGrade} data={[...RECORDING_GRADES]} />
      <TextInput
        label="What the customer reads"
        description="Optional. The customer does not see your reason below."
        {...fields.text('public_reason')}
      />
    </ActionDialog>
  );
}

function TagsDialog({ voice, onDone, onClose }: DialogProps) {
  const fields = useFields({ tags: voice.tags.join(' ') });
  const save = async () => {
    const { voice_id: id } = voice.voice;
    const body = { tags: toTags(fields.values.tags) };
    const saved = await api.PUT('/admin/voices/{voice_id}/tags', id, body, curationOf(voice));
    onDone('The tags are saved.', saved);
  };
  return (
    <ActionDialog
      title="Tags of the voice"
      of={voice.voice.name}
      consequence="Lists of voices can be narrowed to a tag. Customers never see them."
      action="Save the tags"
      withReason={false}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput
        label="Tags"
        description={TAGS_HINT}
        placeholder="campaign accent:irish"
        {...fields.text('tags')}
      />
    </ActionDialog>
  );
}

function AppealDialog({ voice, onDone, onClose }: DialogProps) {
  const fields = useFields({ text: '' });
  const appeal = async (reason: string) => {
    const body = { text: fields.values.text.trim(), reason };
    const saved = await api.POST('/admin/voices/{voice_id}/appeal', voice.voice.voice_id, body);
    onDone('The appeal waits at the review desk.', saved);
  };
  return (
    <ActionDialog
      title="Appeal for the customer"
      of={voice.voice.name}
      consequence="A person listens to the voice and answers. The customer reads the answer and gets a webhook event. A verdict can be appealed once."
      action="Appeal"
      form={fields}
      onConfirm={appeal}
      onClose={onClose}
    >
      <Textarea label="What the customer says" autosize minRows={2} required {...fields.text('text')} />
    </ActionDialog>
  );
}

function SafetyDialog({ voice, onDone, onClose }: DialogProps) {
  const [state, setState] = useState<SafetyState>(voice.safety?.state ?? 'held');
  const fields = useFields({ notice: voice.safety?.notice ?? '' });
  const save = async (reason: string) => {
    const body = { state, notice: fields.values.notice.trim(), reason };
    const saved = await setSafety(voice, body);
    onDone(state === 'held' ? 'The voice is held.' : 'The voice is taken down.', saved);
  };
  return (
    <ActionDialog
      title="Hold or take down"
      of={voice.voice.name}
      consequence="No account can play it or speak with it until it is released. The account’s webhooks receive an event."
      action={state === 'held' ? 'Hold it' : 'Take it down'}
      danger
      form={fields}
      onConfirm={save}
      onClose={onClose}
    >
      <Choice
        label="What to do"
        value={state}
        onPick={setState}
        data={[
          { value: 'held', label: 'Hold it while it is looked into (safety_control CAPTCHA)' },
          { value: 'taken_down', label: 'Take it down (safety_control BAN)' },
        ]}
      />
      <TextInput
        label="What the customer reads"
        description="In each refusal and in the webhook event. Optional."
        {...fields.text('notice')}
      />
    </ActionDialog>
  );
}
