import { isSending } from './pressed-key';

/** Ctrl or ⌘ and Enter press the button of the form in which they are typed. */
export function sendByKeyboard(): void {
  document.addEventListener('keydown', (event) => {
    if (!isSending(event) || !(event.target instanceof Element)) return;
    const button = event.target.closest('form')?.querySelector<HTMLButtonElement>('button[type=submit]');
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}
