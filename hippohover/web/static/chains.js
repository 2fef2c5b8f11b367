// Chains of evidence: the passages that carry a question together, and the words that join them.

export const chainsSection = () => null;
