/** `sluice version`: what this file was built from. The build sets the commit. */
import manifest from "../package.json";

declare const SLUICE_COMMIT: string;

const facts = [
  `sluice ${manifest.version}`,
  `commit ${SLUICE_COMMIT}`,
  `bun ${Bun.version}`,
  `platform ${process.platform}-${process.arch}`,
];
process.stdout.write(`${facts.join("\n")}\n`);
