import { useEffect, useState } from 'react';
import { confirmationGate, sessionGate, setupGate } from '../api/session-gate';
import { queryClient, meQuery, type Me } from '../api/client';
import { Part } from '../components/part';
import { lazyScreen } from '../api/lazy-screen';

const SessionEnd = lazyScreen(() => import('./gate-dialogs'), 'SessionEnd');
const SignInConfirmation = lazyScreen(() => import('./gate-dialogs'), 'SignInConfirmation');

interface Prompt {
  Dialog: typeof SessionEnd | typeof SignInConfirmation;
  who: Me;
  resolve: (done: boolean) => void;
}

/**
 * Opens over the page what a refused request requires: signing in again, or proving who the reader is.
 */
export function Gates() {
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  useEffect(() => {
    const ask = (Dialog: Prompt['Dialog'], who: Me) =>
      new Promise<boolean>((resolve) => setPrompt({ Dialog, who, resolve }));
    setupGate.onRefusal(async () => {
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      return false;
    });
    sessionGate.onRefusal(async () => {
      const who = queryClient.getQueryData(meQuery.queryKey);
      return who ? ask(SessionEnd, who) : false;
    });
    confirmationGate.onRefusal(async () =>
      ask(SignInConfirmation, await queryClient.fetchQuery({ ...meQuery, staleTime: 0 })),
    );
  }, []);
  if (prompt === null) return null;
  const { Dialog, who, resolve } = prompt;
  const close = (done: boolean) => {
    setPrompt(null);
    resolve(done);
  };
  return (
    <Part>
      <Dialog who={who} onClose={close} />
    </Part>
  );
}
