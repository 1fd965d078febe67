import { Banner } from './banner';

/** What another person has changed while a form was open. */
export function TheirChanges({ theirs }: { theirs: readonly string[] }) {
  if (theirs.length === 0) return null;
  return (
    <Banner tone="warn" title="Changed by another person since you opened this:">
      <ul>
        {theirs.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      What you have not changed here stays as they left it.
    </Banner>
  );
}
