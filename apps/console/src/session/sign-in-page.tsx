import { explainProviderRefusal } from '@app/domain/staff/provider-refusals';
import { Anchor, Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api, clearPerson } from '../api/client';
import { Banner, ProblemBanner } from '../components/banner';
import { methodsQuery, signInWithPasskey, PasskeyButton } from './passkey';
import { StandalonePage } from './standalone-page';
import { SignInSteps } from './sign-in-steps';

export function SignInPage() {
  const router = useRouter();
  const search: { to?: string; error?: string } = useSearch({ strict: false });
  const done = () => {
    clearPerson();
    router.history.push(ownPath(search.to));
  };
  return (
    <StandalonePage title="Sign in" width={380}>
      {search.error && (
        <Banner tone="bad" alert>
          {explainProviderRefusal(search.error)}
        </Banner>
      )}
      {!window.isSecureContext && (
        <Banner tone="warn" title="This page is not encrypted.">
          Everyone on the way to {window.location.host} can read your password. Outside a network that you
          trust, open the console through a proxy with TLS, and set its address as PUBLIC_URL.
        </Banner>
      )}
      <Password onDone={done} />
      <PasskeyButton label="Sign in with a passkey" prove={signInWithPasskey} onDone={done} />
      <Provider />
    </StandalonePage>
  );
}

/** Only a path of the console: an address in a link must not lead elsewhere. */
const ownPath = (to: string | undefined): string =>
  to?.startsWith('/') && !to.startsWith('/sign-in') ? `/console${to}` : '/console/';

/** Where passwords are off, folded away: one that the command line has given for an emergency still signs in. */
function Password({ onDone }: { onDone: () => void }) {
  const { data: methods } = useQuery(methodsQuery);
  const [isOpen, setOpen] = useState(false);
  if (methods?.password !== false || isOpen) return <SignInSteps onDone={onDone} />;
  return (
    <Anchor component="button" size="sm" onClick={() => setOpen(true)}>
      I have a password for an emergency
    </Anchor>
  );
}

function Provider() {
  const methods = useQuery(methodsQuery);
  const start = useMutation({
    mutationFn: () => api.POST('/admin/auth/oidc'),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  if (!methods.data?.oidc) return null;
  return (
    <>
      <Button variant="default" loading={start.isPending} onClick={() => start.mutate()}>
        Sign in with the identity provider
      </Button>
      <ProblemBanner error={start.error} />
    </>
  );
}
