import { Button, Group, Stack, TextInput, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type FormEvent, type ReactNode, type ComponentProps } from 'react';
import { useDisclosure } from '@mantine/hooks';
import { ChangeWaits, fieldProblem, toProblem } from '../api/problem';
import { queryClient, type Schema } from '../api/client';
import { Banner, ProblemBanner } from './banner';
import type { ListSearch } from './list-filters';
import { ReasonField, useReason } from './reason-field';
import { reportReverted } from './reverted-change';
import { TheirChanges, type Edited, type Form } from './fields';
import { Dialog } from './dialog';
import type { DialogProps } from './dialog-window';

export interface Closing {
  onClose: () => void;
}

/** What was done, and to what, by its name: its row may be gone by then. */
export interface Done {
  text: string;
  of: string | null;
  /** Since when it holds on every server. */
  receipt?: Schema['ChangeReceipt'] | null;
}

export interface Doing<What = Done> extends Closing {
  onDone: (done: What) => void;
}

/** The same of what is done to everything that a list is narrowed to. */
export interface DoingToAll<What> extends Doing<What> {
  filters: ListSearch;
  what: string;
}

interface ActionDialogProps extends Closing, Pick<DialogProps, 'title' | 'of'> {
  consequence: ReactNode;
  /** The button: what it does, as a verb; the title, unless it says more. */
  action?: string;
  /** The other button: what stays as it is, where `Cancel` could be the action itself. */
  dismiss?: string;
  danger?: boolean;
  withReason?: boolean;
  typed?: string;
  /** Fields between the consequence and the reason. What refuses them is said at each. */
  children?: ReactNode;
  form?: Pick<Form, 'values' | 'keep'>;
  fields?: readonly string[];
  disabled?: boolean;
  /** What it edits: a change that came first (412) is shown; one that concerns nothing of this is passed over, and it is sent again. */
  edited?: Pick<Edited, 'isUnaffected' | 'theirs' | 'keep'>;
  /** Shows the change at once, with the dialog out of the way; what it returns reverts it, and the dialog says why. */
  assume?: () => () => void;
  onConfirm: (reason: string) => Promise<unknown>;
}

/**
 * Confirms an action: says what will happen, requires a reason, shows a refusal where it was caused, and closes
 * when it is done. Render it only while it is open. When another change came first (412), everything is read again and the
 * reader decides again.
 */
export function ActionDialog(props: ActionDialogProps) {
  const { title, of, consequence, action = title, dismiss = 'Cancel' } = props;
  const { danger = false, withReason = true, typed, form, edited, onConfirm, onClose } = props;
  const reason = useReason();
  const [typedText, setTypedText] = useState('');
  const isMounted = useIsMounted();
  const mutation = useMutation({
    // What is assumed changes what the dialog was opened with, and must not change what it does.
    mutationFn: (confirm: typeof onConfirm) => confirm(reason.trimmed).catch(form?.keep).catch(edited?.keep),
    onSuccess: () => {
      if (withReason) reason.remember();
      onClose();
    },
    onMutate: props.assume,
    onError: (error, _input, revert) => {
      revert?.();
      if (!isMounted.current) reportReverted({ title, of, error });
      if (isConflict(error)) void queryClient.invalidateQueries();
    },
  });
  const [isResent, setResent] = useState(false);
  useEffect(() => {
    if (isResent || !edited?.isUnaffected || !isConflict(mutation.error)) return;
    setResent(true);
    mutation.mutate(onConfirm);
  }, [edited?.isUnaffected, mutation.error]);
  if (mutation.isPending && props.assume) return null;
  if (mutation.error instanceof ChangeWaits) return <WaitsDialog error={mutation.error} {...props} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!withReason || reason.check()) mutation.mutate(onConfirm);
  };
  return (
    <Dialog onClose={onClose} title={title} of={of} wide>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <div>{consequence}</div>
          {props.children}
          {edited && <TheirChanges theirs={edited.theirs} />}
          {withReason && <ReasonField reason={reason} error={fieldProblem(mutation.error, 'reason')} />}
          {typed !== undefined && (
            <TextInput
              label={`Type ${typed} to confirm`}
              autoComplete="off"
              value={typedText}
              onChange={(event) => setTypedText(event.currentTarget.value)}
            />
          )}
          {isConflict(mutation.error) ? (
            <ConflictBanner />
          ) : (
            <ProblemBanner
              error={mutation.error}
              fields={['reason', ...Object.keys(form?.values ?? {}), ...(props.fields ?? [])]}
            />
          )}
          <Group justify="flex-end" className="gr-dialog-buttons">
            <Button variant="default" onClick={onClose}>
              {dismiss}
            </Button>
            <Button
              type="submit"
              color={danger ? 'red' : undefined}
              loading={mutation.isPending}
              disabled={props.disabled || (typed !== undefined && typedText.trim() !== typed)}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function useIsMounted() {
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return isMounted;
}

/** The request is stored: there is nothing to confirm any more. */
function WaitsDialog({ error, title, of, onClose }: { error: ChangeWaits } & ActionDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} of={of} discards>
      <Stack gap="sm">
        <ProblemBanner error={error} />
        <Group justify="flex-end">
          <Button component={Link} to="/approvals" variant="default" onClick={onClose}>
            See it on Approvals
          </Button>
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function ConflictBanner() {
  return (
    <Banner tone="warn" alert title="This has changed in the meantime.">
      It has been read again and nothing of yours was saved. If it is still what you want, confirm once more.
    </Banner>
  );
}

const isConflict = (error: unknown): boolean =>
  error !== null && error !== undefined && toProblem(error).status === 412;

export function OpenButton(
  props: Pick<ButtonProps, 'size' | 'variant' | 'disabled'> & {
    'aria-label'?: string;
    label: ReactNode;
    children: (close: () => void) => ReactNode;
  },
) {
  const { label, children, ...button } = props;
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      {isOpen && children(close)}
    </>
  );
}

export function ActionButton(
  props: Omit<ComponentProps<typeof ActionDialog>, 'onClose' | 'disabled'> &
    Pick<ButtonProps, 'size' | 'disabled'> & {
      label: string;
      /** Of the button, for those who cannot see what is beside it. */
      name?: string;
    },
) {
  const { label, name, size = 'compact-sm', disabled, ...dialog } = props;
  return (
    <OpenButton label={label} aria-label={name} size={size} disabled={disabled}>
      {(close) => <ActionDialog {...dialog} onClose={close} />}
    </OpenButton>
  );
}
