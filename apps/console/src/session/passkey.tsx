import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { api, read, type Schema } from '../api/client';
import { fetchPart } from '../api/fetch-part';
import { ProblemBanner } from '../components/banner';

export const methodsQuery = queryOptions({
  ...read(['sign-in-methods'], '/admin/auth/methods'),
  staleTime: Infinity,
});

/** Why this browser cannot use passkeys at this address; null when it can. */
export function passkeyObstacle(host: string | null): string | null {
  const { hostname } = window.location;
  if (host === null)
    return 'Passkeys need a host name, and this installation is reached at an IP address: its PUBLIC_URL would have to be a name.';
  if (hostname !== host && !hostname.endsWith(`.${host}`))
    return `Passkeys work when the console is opened at ${host}, not at ${hostname}. PUBLIC_URL sets where.`;
  if (!window.PublicKeyCredential) return 'This browser does not support passkeys.';
  return null;
}

export async function addPasskey(name: string): Promise<void> {
  const { startRegistration } = await fetchPart(() => import('@simplewebauthn/browser'));
  const { options } = await api.POST('/admin/me/passkeys/options');
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const created = await startRegistration({ optionsJSON }).catch(explain);
  const { clientDataJSON, attestationObject, transports } = created.response;
  const credential = { ...idOf(created), response: { clientDataJSON, attestationObject, transports } };
  await api.POST('/admin/me/passkeys', {}, { name, credential });
}

export async function signInWithPasskey(): Promise<void> {
  await api.POST('/admin/auth/passkey', {}, await usePasskey());
}

export async function confirmWithPasskey(): Promise<void> {
  await api.POST('/admin/me/confirm-sign-in/passkey', {}, await usePasskey());
}

async function usePasskey(): Promise<Schema['UsePasskeyBody']> {
  const { startAuthentication } = await fetchPart(() => import('@simplewebauthn/browser'));
  const { options } = await api.POST('/admin/auth/passkey/options');
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const used = await startAuthentication({ optionsJSON }).catch(explain);
  const { clientDataJSON, authenticatorData, signature, userHandle } = used.response;
  return {
    credential: { ...idOf(used), response: { clientDataJSON, authenticatorData, signature, userHandle } },
  };
}

const idOf = ({ id, rawId, type }: { id: string; rawId: string; type: 'public-key' }) => ({
  id,
  rawId,
  type,
});

/** What browsers say in names of exceptions (WebAuthn, 5.1.3 and 5.1.4), in sentences. */
function explain(error: unknown): never {
  const { name, cause } = error as { name?: string; cause?: { name?: string } };
  const names = [name, cause?.name];
  if (names.includes('InvalidStateError'))
    throw new Error('This device already has a passkey of yours for Greenroom.');
  if (names.includes('NotAllowedError') || names.includes('AbortError'))
    throw new Error(
      'No passkey was used: you cancelled, the time ran out, or the device has none for Greenroom.',
    );
  throw new Error('This device could not use a passkey here. Try another device or browser.');
}

export function PasskeyButton(props: { label: string; prove: () => Promise<void>; onDone: () => void }) {
  const { label, prove, onDone } = props;
  const { data: methods } = useQuery(methodsQuery);
  const proof = useMutation({ mutationFn: prove, onSuccess: onDone });
  if (!methods || passkeyObstacle(methods.passkey_host) !== null) return null;
  return (
    <>
      <Button variant="default" loading={proof.isPending} onClick={() => proof.mutate()}>
        {label}
      </Button>
      <ProblemBanner error={proof.error} />
    </>
  );
}
