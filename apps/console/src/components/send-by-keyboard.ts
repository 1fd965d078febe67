/** Ctrl or ⌘ and Enter press the button of the form in which they are typed. */
export function sendByKeyboard(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !(event.target instanceof Element))
      return;
    const button = event.target.closest('form')?.querySelector<HTMLButtonElement>('button[type=submit]');
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}
