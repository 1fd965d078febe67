import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import { Stack } from '@mantine/core';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useReturn } from '../api/availability';
import { HandOver } from '../components/banner';
import { PageHeader } from '../components/page';
import { PartProblem } from '../components/part';
import { PartMissing } from '../api/fetch-part';

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

export function ScreenProblemInShell(props: ErrorComponentProps) {
  return (
    <Stack>
      <Problem {...props} />
    </Stack>
  );
}

/** A file that the server has is requested again this often. */
const AGAIN_MS = 5_000;

function Problem({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const missing = error instanceof PartMissing ? error : null;
  const again = () => {
    reset();
    void router.invalidate();
  };
  const fetchAgain = () => void Promise.resolve(missing?.again?.()).then(again);
  useReturn(fetchAgain);
  useEffect(() => {
    if (missing?.release !== 'same') return undefined;
    const timer = setTimeout(fetchAgain, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [missing]);
  return (
    <>
      <PageHeader title={missing ? 'This screen could not be loaded' : 'This screen cannot be shown'} />
      <PartProblem error={error} reset={again} />
    </>
  );
}

export function NotAllowed({ needs }: { needs: StaffPermission }) {
  return (
    <Stack>
      <PageHeader title="Not for your role" />
      <HandOver permission={needs} to="open this screen" />
    </Stack>
  );
}
