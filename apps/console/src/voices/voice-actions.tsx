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
import { useState, type ComponentProps } from 'react';
import { api, type Schema, useMay } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { ActionsMenu } from '../components/actions-menu';
import { useRequestedAction } from '../components/use-requested-action';
import { TAGS_HINT, toTags } from '../components/labels';
import { curationOf, type VoiceDetail } from './voice-query';

export interface VoiceActionProps {
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
      {plain && <VoiceDialog {...dialog} {...plain} />}
    </Group>
  );
}

type DialogProps = VoiceActionProps & Closing;

interface VoiceDialogProps
  extends DialogProps, Omit<ComponentProps<typeof ActionDialog>, 'of' | 'onConfirm' | 'onClose'> {
  done: string;
  /** Makes the change; a change of something else returns nothing of the voice. */
  change: (reason: string) => Promise<VoiceDetail | null>;
}

export function VoiceDialog({ voice, done, change, onDone, ...dialog }: VoiceDialogProps) {
  const confirm = async (reason: string) => onDone(done, (await change(reason)) ?? voice);
  return <ActionDialog {...dialog} of={voice.voice.name} onConfirm={confirm} />;
}

const ONE = '/admin/voices/{voice_id}';

type PlainAction = Omit<VoiceDialogProps, keyof DialogProps>;

function plainActions(voice: VoiceDetail): Partial<Record<Action, PlainAction>> {
  const { voice_id: id } = voice.voice;
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
      change: (reason) => api.POST(`${ONE}/re-review`, id, { reason, force }, voice),
    },
    cancel: {
      title: 'Cancel the review',
      consequence:
        'The voice loses its grade, and no further attempt starts until a new review is requested.',
      action: 'Cancel the review',
      dismiss: 'Keep the review',
      danger: true,
      done: 'The review was cancelled.',
      change: (reason) => api.POST(`${ONE}/cancel`, id, { reason }, voice),
    },
    desk: {
      title: 'Send to the review desk',
      consequence:
        'A person listens to it, before most other voices, and decides whether its grade stays. Your reason is shown there.',
      action: 'Send it there',
      done: 'The voice waits at the review desk.',
      change: async (reason) => {
        await api.POST('/admin/review-desk', {}, { voice_id: id, reason });
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
      change: (reason) => api.PUT(`${ONE}/sharing`, id, { shared, reason }, curationOf(voice)),
    },
  };
}

const setSafety = (voice: VoiceDetail, body: Schema['VoiceSafetyBody']) =>
  api.PUT(`${ONE}/safety`, voice.voice.voice_id, body, curationOf(voice));

function OverrideDialog(props: DialogProps) {
  const { voice } = props;
  const [grade, setGrade] = useState<RecordingGrade>(voice.voice.recording_quality ?? 'ok');
  const fields = useFields({ public_reason: '' });
  const public_reason = fields.values.public_reason.trim() || undefined;
  return (
    <VoiceDialog
      {...props}
      title="Override the grade"
      consequence="The customer sees your grade from now on. Bulk reviews do not change it."
      action="Override it"
      done={`The grade is “${grade}” now.`}
      form={fields}
      change={(reason) =>
        api.POST(`${ONE}/override`, voice.voice.voice_id, { grade, public_reason, reason }, voice)
      }
    >
      <Choice label="Grade" value={grade} onPick={setGrade} data={[...RECORDING_GRADES]} />
      <TextInput
        label="What the customer reads"
        description="Optional. The customer does not see your reason below."
        {...fields.text('public_reason')}
      />
    </VoiceDialog>
  );
}

function TagsDialog(props: DialogProps) {
  const { voice } = props;
  const fields = useFields({ tags: voice.tags.join(' ') });
  const tags = toTags(fields.values.tags);
  return (
    <VoiceDialog
      {...props}
      title="Tags of the voice"
      consequence="Lists of voices can be narrowed to a tag. Customers never see them."
      action="Save the tags"
      done="The tags are saved."
      withReason={false}
      form={fields}
      change={() => api.PUT(`${ONE}/tags`, voice.voice.voice_id, { tags }, curationOf(voice))}
    >
      <TextInput
        label="Tags"
        description={TAGS_HINT}
        placeholder="campaign accent:irish"
        {...fields.text('tags')}
      />
    </VoiceDialog>
  );
}

function AppealDialog(props: DialogProps) {
  const { voice_id: id } = props.voice.voice;
  const fields = useFields({ text: '' });
  return (
    <VoiceDialog
      {...props}
      title="Appeal for the customer"
      consequence="A person listens to the voice and answers. The customer reads the answer and gets a webhook event. A verdict can be appealed once."
      action="Appeal"
      done="The appeal waits at the review desk."
      form={fields}
      change={(reason) => api.POST(`${ONE}/appeal`, id, { text: fields.values.text.trim(), reason })}
    >
      <Textarea label="What the customer says" autosize minRows={2} required {...fields.text('text')} />
    </VoiceDialog>
  );
}

function SafetyDialog(props: DialogProps) {
  const { voice } = props;
  const [state, setState] = useState<SafetyState>(voice.safety?.state ?? 'held');
  const fields = useFields({ notice: voice.safety?.notice ?? '' });
  return (
    <VoiceDialog
      {...props}
      title="Hold or take down"
      consequence="No account can play it or speak with it until it is released. The account’s webhooks receive an event."
      action={state === 'held' ? 'Hold it' : 'Take it down'}
      done={state === 'held' ? 'The voice is held.' : 'The voice is taken down.'}
      danger
      form={fields}
      change={(reason) => setSafety(voice, { state, notice: fields.values.notice.trim(), reason })}
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
    </VoiceDialog>
  );
}
