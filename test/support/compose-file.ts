/** A compose file with `${NAME:-default}` replaced as Docker does it. */
export function interpolate(text: string, input: Record<string, string>): string {
  return text.replaceAll(
    /\$\{(\w+):-([^}]*)\}/g,
    (_, name: string, fallback: string) => input[name] ?? fallback,
  );
}
