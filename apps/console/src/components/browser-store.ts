/** `localStorage`, where the browser permits it and has room; else nothing is stored, and nothing else fails. */
export const browserStore = {
  getItem(key: string): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  setItem(key: string, text: string): void {
    try {
      localStorage.setItem(key, text);
    } catch {
      // What it would have stored is a convenience.
    }
  },
};
