/** `sluice version`: what this file was built from. */
import { buildFacts } from "@sluice/control-plane/platform/build-facts.ts";

const facts = [
  `sluice ${buildFacts.version}`,
  `commit ${buildFacts.commit}`,
  `bun ${Bun.version}`,
  `platform ${process.platform}-${process.arch}`,
];
process.stdout.write(`${facts.join("\n")}\n`);
