import {
  canCancelReview,
  canTransition,
  RECORDING_GRADES,
  whyNotReviewAgain,
  type RecordingGrade,
} from '@app/domain/reviews/review-state';
import type { SafetyState } from '@app/domain/voices/voice-safety';
import { Textarea, TextInput } from '@mantine/core';
import { Choice, useFields } from '../components/fields';
import { useState, type ComponentProps } from 'react';
import { api, type Schema, useMay } from '../api/client';
import { ActionDialog, type Closing } from '../components/action-dialog';
import { ActionsMenu } from '../components/actions-menu';
import { named } from '../components/list-filters';
import { TAGS_HINT, toTags } from '../components/labels';
import { curationOf, type VoiceDetail } from './voice-query';

export interface VoiceActionProps {
  voice: VoiceDetail;
  onDone: (text: string, saved: VoiceDetail) => void;
}

/** What can be done about a voice, as far as its state and the role let it: the likeliest as a button, the rest in a menu. */
export function VoiceActions(props: VoiceActionProps) {
  const { voice, onDone } = props;
  const { status, shared_at: sharedAt, safety, appeal } = voice;
  const { voice_id: id, name } = voice.voice;
  const may = useMay();
  const mayOverride = canTransition(status, 'overridden');
  const force = status === 'overridden';
  const share = sharedAt === null;
  return (
    <ActionsMenu
      leads
      of={name}
      actions={{
        release: {
          title: 'Release',
          isHidden: !safety,
          consequence:
            'It can be played and spoken with again at once. The account’s webhooks receive an event.',
          action: 'Release it',
          onConfirm: async (reason) =>
            onDone(
              'The voice is released.',
              await setSafety(voice, { state: 'released', notice: '', reason }),
            ),
        },
        override: {
          label: 'Override the grade…',
          isHidden: !mayOverride,
          dialog: (dialog) => <OverrideDialog {...props} {...dialog} />,
        },
        review: {
          title: 'Review again',
          isHidden: whyNotReviewAgain(status, { force: true }) !== null,
          consequence: force
            ? 'A person has graded this voice. The new review replaces that grade, and the customer sees it in review until then.'
            : 'The recording is measured and graded again. The customer sees the voice in review until then.',
          action: 'Review it again',
          onConfirm: async (reason) =>
            onDone(
              'A new review was requested.',
              await api.POST(`${ONE}/re-review`, id, { reason, force }, voice),
            ),
        },
        cancel: {
          title: 'Cancel the review',
          isHidden: !canCancelReview(status),
          consequence:
            'The voice loses its grade, and no further attempt starts until a new review is requested.',
          dismiss: 'Keep the review',
          danger: true,
          onConfirm: async (reason) =>
            onDone('The review was cancelled.', await api.POST(`${ONE}/cancel`, id, { reason }, voice)),
        },
        desk: {
          title: 'Send to the review desk',
          consequence:
            'A person listens to it, before most other voices, and decides whether its grade stays. Your reason is shown there.',
          action: 'Send it there',
          onConfirm: async (reason) => {
            await api.POST('/admin/review-desk', {}, { voice_id: id, reason });
            onDone('The voice waits at the review desk.', voice);
          },
        },
        appeal: {
          label: 'Appeal for the customer…',
          isHidden: !mayOverride || appeal?.outcome === null,
          dialog: (dialog) => <AppealDialog {...props} {...dialog} />,
        },
        tags: { label: 'Tags…', dialog: (dialog) => <TagsDialog {...props} {...dialog} /> },
        safety: {
          label: 'Hold or take down…',
          dialog: (dialog) => <SafetyDialog {...props} {...dialog} />,
        },
        share: {
          title: share ? 'Share with every account' : 'Stop sharing',
          isHidden: !may('voices.share'),
          consequence: share
            ? 'Every account sees its name, description, labels and recording, and can speak with it. If its account edits it, it leaves the catalogue.'
            : 'Other accounts can no longer see it or speak with it. Speech that they have generated stays.',
          action: share ? 'Share it' : 'Stop sharing it',
          onConfirm: async (reason) =>
            onDone(
              share ? 'The voice is in the catalogue.' : 'The voice is no longer in the catalogue.',
              await api.PUT(`${ONE}/sharing`, id, { shared: share, reason }, curationOf(voice)),
            ),
        },
      }}
    />
  );
}

type DialogProps = VoiceActionProps & Closing;

interface VoiceDialogProps
  extends DialogProps, Omit<ComponentProps<typeof ActionDialog>, 'of' | 'onConfirm' | 'onClose'> {
  done: string;
  change: (reason: string) => Promise<VoiceDetail>;
}

export function VoiceDialog({ voice, done, change, onDone, ...dialog }: VoiceDialogProps) {
  const confirm = async (reason: string) => onDone(done, await change(reason));
  return <ActionDialog {...dialog} of={voice.voice.name} onConfirm={confirm} />;
}

const ONE = '/admin/voices/{voice_id}';

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
      <Textarea label="What the customer says" rows={2} required {...fields.text('text')} />
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
        data={named({
          held: 'Hold it while it is looked into (safety_control CAPTCHA)',
          taken_down: 'Take it down (safety_control BAN)',
        })}
      />
      <TextInput
        label="What the customer reads"
        description="In each refusal and in the webhook event. Optional."
        {...fields.text('notice')}
      />
    </VoiceDialog>
  );
}
