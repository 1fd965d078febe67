interface Invitation {
  email: string;
  password: string;
}

/** What is after # stays in the browser: no server and no log has it. */
export const invitationLink = (invitation: Invitation): string =>
  `${location.origin}/console/sign-in#${new URLSearchParams({ ...invitation }).toString()}`;

let taken: Invitation | null = null;

/** The invitation that this page was opened with; the address no longer has it. */
export function takeInvitation(): Invitation | null {
  const { email, password } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (email && password) {
    taken = { email, password };
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return taken;
}
