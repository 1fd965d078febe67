import { mark } from './request-marks';

/** What to do about a refusal before the request may be sent again; resolves to whether it may. */
type Handler = () => Promise<boolean>;

/** Requests that are refused together wait for one handler: for one dialog over the page, so that nothing typed is lost. */
class Gate {
  private handler: Handler = () => Promise.resolve(false);
  private waiting: Promise<boolean> | null = null;

  onRefusal(handler: Handler): void {
    this.handler = handler;
  }

  async pass(): Promise<boolean> {
    this.waiting ??= this.handler().finally(() => {
      this.waiting = null;
    });
    return this.waiting;
  }
}

/** The session has ended: opens the sign-in dialog. */
export const sessionGate = new Gate();
/** The change needs a recent confirmation: opens the dialog for the password or a code. */
export const confirmationGate = new Gate();
/** The member has to set something up first: reads the signed-in member again, which opens that screen. */
export const setupGate = new Gate();

const GATES = new Map([
  ['staff_sign_in_required', sessionGate],
  ['staff_session_of_another', sessionGate],
  ['sign_in_confirmation_required', confirmationGate],
  ['password_change_required', setupGate],
  ['second_factor_setup_required', setupGate],
  ['passkey_required', setupGate],
]);

/** `fetch` that lets the reader supply what a refusal requires, and then sends the same request again. */
export async function fetchWithSession(request: Request): Promise<Response> {
  mark(request);
  const again = request.clone();
  const response = await fetch(request);
  const gate = GATES.get(await refusalOf(response));
  return gate && (await gate.pass()) ? fetchWithSession(again) : response;
}

async function refusalOf(response: Response): Promise<string> {
  if (response.status !== 401 && response.status !== 403) return '';
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return (body as { code?: string } | null)?.code ?? '';
}
