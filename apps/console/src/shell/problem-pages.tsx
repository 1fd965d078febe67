import { Stack } from '@mantine/core';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useReturn } from '../api/availability';
import { Notice } from '../components/notice';
import { words } from '../components/number';
import { PageHeader } from '../components/page';
import { ProblemNotice } from '../components/problem-notice';
import { ScreenMissing } from '../lazy-screen';
import { useMe } from '../session/me';

/** Within the frame of the screens: the menu stays. */
export function NotFoundPage() {
  return (
    <Stack>
      <PageHeader
        title="This screen does not exist"
        hint="The address may be mistyped, or the screen may have moved."
      />
      <Link to="/">Go to Home</Link>
    </Stack>
  );
}

/** Shown in place of a page that has failed. */
export function ScreenProblem(props: ErrorComponentProps) {
  return (
    <Stack p="md" component="main">
      <Problem {...props} />
    </Stack>
  );
}

/** The same within the frame of the screens: the menu stays. */
export function ScreenProblemInShell(props: ErrorComponentProps) {
  return (
    <Stack>
      <Problem {...props} />
    </Stack>
  );
}

function Problem({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  useReturn(again);
  const isMissing = error instanceof ScreenMissing;
  return (
    <>
      <PageHeader title={isMissing ? 'This screen could not be loaded' : 'This screen cannot be shown'} />
      <ProblemNotice error={error} onRetry={again} />
    </>
  );
}

export function NotAllowed({ needs }: { needs: string }) {
  const { role } = useMe();
  return (
    <Stack>
      <PageHeader title="Not for your role" />
      <Notice tone="calm">
        The role {words(role)} may not open this screen: it needs the permission {needs}. Ask an administrator
        if you should have it.
      </Notice>
    </Stack>
  );
}
