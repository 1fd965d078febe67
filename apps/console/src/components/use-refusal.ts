import { useState } from 'react';

/** What refused a form, for its fields: `await call.catch(refusal.keep)`. */
export function useRefusal() {
  const [problem, setProblem] = useState<unknown>(null);
  const keep = (error: unknown): never => {
    setProblem(error);
    throw error;
  };
  return { problem, keep };
}
