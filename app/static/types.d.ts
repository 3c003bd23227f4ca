// What the server sends and what a trace holds. Made by python -m app.view_types: do not edit.

import type { Draws } from "./page.js";

export interface ADL {
  k_t: number;
  s_t: number | null;
  L_gen: number;
  L_acc: number;
  ema_gen: number;
  ema_acc: number;
  grew: boolean;
  k_next: number;
  k_min: number;
  k_max: number;
}

export interface AcceptanceView {
  calibration: CalibrationView | null;
  positions: PositionsView | null;
}

export interface AddedMarks {
  x?: Array<number>;
  y?: Array<number>;
  base?: Array<number>;
  customdata?: Array<number>;
  text?: Array<string>;
}

export interface AddedPoints {
  entropy: Array<AddedMarks>;
  timeline: Array<AddedMarks>;
}

export interface Ahead {
  agrees: boolean;
  miss: Miss | null;
}

export interface Annotation {
  xref?: string;
  yref?: string;
  x?: number;
  y?: number;
  xanchor?: string;
  yanchor?: string;
  text?: string;
  showarrow?: boolean;
  font?: Font;
}

export interface Answer {
  lattice: Lattice;
  accepted: number;
  known: boolean;
  corpus: boolean;
}

export interface Arm {
  name: string;
  count: number;
  mean: number | null;
  bound: number | null;
}

export interface AskedDrafter {
  drafter: string;
  nodes: number;
}

export interface AutoRange {
  include: Array<number>;
}

export interface AutomatonView {
  kind: "automaton";
  steps: Array<GrownStep>;
}

export interface Axis {
  title?: Caption;
  range?: Array<number>;
  rangemode?: string;
  autorange?: boolean | string;
  autorangeoptions?: AutoRange;
  minallowed?: number;
  domain?: Array<number>;
  anchor?: string;
  tickvals?: Array<number>;
  ticktext?: Array<string>;
  tickformat?: string;
  ticksuffix?: string;
  tickangle?: number;
  tickfont?: Font;
  dtick?: number;
  nticks?: number;
  showgrid?: boolean;
  gridcolor?: string;
  zeroline?: boolean;
  zerolinecolor?: string;
  fixedrange?: boolean;
  automargin?: boolean;
  visible?: boolean;
  type?: string;
}

export interface Badge {
  kind: "broken" | "lossy" | "note" | "same" | "differs";
  text: string;
  help: string;
}

export interface Beam {
  tokens: Array<number>;
  score: number;
  dlm_sum: number;
  ngram_sum: number | null;
  alive: boolean;
}

export interface BinRow {
  range: string;
  low: number;
  nodes: number;
  accepted: number;
  rate: number;
  confidence: number;
}

export interface CalibrationView {
  sentence: string;
  reliability: Figure;
  bins: Array<BinRow>;
}

export interface Calling {
  example: string;
  parts: Array<CallingPart>;
}

export interface CallingPart {
  title: string;
  pieces: Array<Prose | Code | Cells>;
}

export interface Candidate {
  token: number;
  text: string;
  p: number;
}

export interface CandidateRow {
  id: number;
  source: string;
  position: number;
  match: number;
  count: number | null;
  reads: string;
  score: string;
  proposed: number;
  accepted: number;
  rank: string;
  kept: boolean;
  status: string;
  why: string;
  snippet: string;
  continuation: string;
}

export interface Caption {
  text: string;
}

export interface CellVerdict {
  accepted: Array<[number, number]>;
  rejected: Array<[number, number]>;
  own: Array<[number, number]>;
}

export interface Cells {
  kind: "cells";
  rows: Array<Array<Array<Words>>>;
}

export interface ChangedSetting {
  name: string;
  label: string;
  value: string;
}

export interface Chunk {
  start: number;
  end: number;
  score: number;
  kept: boolean;
}

export interface Code {
  kind: "code";
  code: string;
}

export interface Column {
  key: string;
  label: string;
  numeric?: boolean;
  mono?: boolean;
}

export interface Commit {
  path_node_ids: Array<number>;
  n_accepted: number;
  n_strict: number;
  n_relaxed: number;
  extra: Extra | null;
  emitted_ids: Array<number>;
  stopped: "eos" | "stop" | "length" | "context" | "cancelled" | null;
}

export type CompareMessage = WishesMessage | LaneMessage | TurnsMessage | MadeMessage | TimedMessage | ComparisonMessage | ErrorMessage;

export interface ComparePacket {
  stream: string;
  seq: number;
  messages: Array<CompareMessage>;
}

export interface CompareWishes {
  example: string;
  prompt: string;
  lanes: Array<LaneWishes>;
  turns: number;
  traces: Array<string>;
  runs: Array<string>;
  position: number | null;
  asked: boolean;
}

export interface Comparison {
  prompt: Array<string>;
  prompt_tokens: number;
  reference: number;
  lanes: Array<Lane>;
  why: Why;
}

export interface ComparisonMessage {
  kind: "comparison";
  comparison: Comparison;
  trees: Array<Array<TreeView | null>>;
  final: boolean;
  title: string;
}

export interface Composition {
  asked: Array<AskedDrafter>;
  arms: Array<Arm>;
  arm: string | null;
  reward: number | null;
}

export interface ConfirmedMessage {
  kind: "confirmed";
  panel: GeneralView;
  final: boolean;
}

export interface Control {
  name: string;
  label: string;
  line: string;
  help: string;
  kind: "bool" | "int" | "float" | "choice" | "several" | "lines";
  default: SettingValue;
  low: number | null;
  high: number | null;
  step: number | null;
  choices: Array<string>;
  unit: string;
  provenance: string;
  badge: string;
}

export interface ControlGroup {
  id: string;
  title: string;
  preset: boolean;
  knobs: Array<Control>;
}

export interface Copied {
  name: string;
  text: string;
  notes: Array<string>;
}

export interface CurveAnswer {
  values: Array<boolean | number | string>;
  places: Array<number>;
  left: number;
  panel: GeneralView;
}

export interface Decision {
  chosen: "model" | "retrieval" | "fused" | "diffusion" | "schema" | "none";
  rule: "entropy" | "match_len" | "always" | "priority" | "bandit";
  reason: string;
  triggered: boolean;
  entropies: Array<number>;
  H: Array<number>;
  C: Array<number>;
  k_star: number | null;
  theta: number | null;
  match: Match | null;
  budget: number | null;
  sizing: Sizing | null;
  unit: "nats" | "ln V";
  trained_context: number | null;
  options: Array<Option>;
}

export interface DenoisingPass {
  cand: Array<Array<Candidate>>;
  decided: Array<number>;
}

export interface Described {
  id: string;
  title: string;
  tab: string;
  scope: "round" | "run";
  module: string | null;
}

export interface DraftMessage {
  kind: "draft";
  i: number;
  reason: string;
  tree: TreeView;
}

export interface DrawnLattice {
  lattice: Lattice;
  verdict: CellVerdict;
}

export interface DrawnPart {
  name: string;
  about: string;
  source: string;
  parents: Array<number>;
  whole: boolean;
}

export interface DrawnShape {
  type?: string;
  xref?: string;
  yref?: string;
  x0?: number;
  x1?: number;
  y0?: number;
  y1?: number;
  line?: Stroke;
  fillcolor?: string;
  layer?: string;
}

export interface Edge {
  start: number;
  end: number;
  word: string;
}

export interface EndMessage {
  kind: "end";
  rounds: number;
  run: RunHead;
  metrics: MetricsView | null;
  outcome: Outcome;
  panels: RunPanels;
  append: AddedPoints;
  ticks: Array<string>;
}

export interface ErrorBars {
  type?: string;
  symmetric?: boolean;
  array?: Array<number>;
  arrayminus?: Array<number>;
  color?: string;
  thickness?: number;
  width?: number;
}

export interface ErrorMessage {
  kind: "error";
  text: string;
}

export interface Example {
  id: string;
  title: string;
  kind: string;
  prompt: string;
}

export interface ExportAnswer {
  lines: Array<Copied>;
}

export interface Extra {
  token: number;
  kind: "correction" | "bonus";
  p: number;
}

export interface Fact {
  name: string;
  value: string;
}

export interface Factor {
  name: "passes" | "forward" | "drafting";
  ratio: number;
  text: string;
}

export interface Figure {
  data: Array<Trace>;
  layout: Layout;
  alt?: string;
  min_width?: number;
}

export interface FigureView {
  kind: "figure";
  figure: Figure | DrawnLattice;
  sentence: string;
  table: Table | null;
}

export interface Font {
  family?: string;
  size?: number;
  color?: string | Array<string>;
}

export interface FormSchema {
  methods: Array<MethodChoice>;
  groups: Array<ControlGroup>;
  examples: Array<Example>;
  glossary: Record<string, string>;
}

export interface FusionTree {
  name: string;
  title: string;
  note: string;
  tree: TreeView;
}

export interface FusionView {
  sentence: string;
  trees: Array<FusionTree>;
}

export interface GalleryLine {
  name: string;
  title: string;
  method: string;
  example: string;
  kind: string;
  tokens: number;
  per_pass: number;
  speed: string;
  lossy: boolean;
}

export interface GeneralView {
  sentence: string;
  figures?: Record<string, Figure>;
  table?: Table;
}

export interface Glossary {
  terms: Record<string, Term>;
  panels: Record<string, string>;
}

export interface GrownStep {
  word: string;
  matched: string;
  copied: string;
  lengths: Array<number>;
  links: Array<number>;
  edges: Array<Edge>;
}

export interface GrowthStage {
  label: string;
  sentence: string;
  tree: TreeView;
}

export interface GrowthView {
  kind: "growth";
  title: string;
  stages: Array<GrowthStage>;
}

export interface Hatching {
  shape?: string | Array<string>;
  size?: number;
  solidity?: number;
  fgcolor?: string;
  fillmode?: string;
}

export interface Hit {
  id: number;
  corpus: "prompt" | "generated" | "static" | "datastore" | "tool_memory" | "logits";
  doc: string | null;
  end_pos: number;
  match_len: number;
  snippet: string;
  continuation: string;
  snippet_ids: Array<number>;
  cont_ids: Array<number>;
  count: number | null;
  score_before: number | null;
  score_after: number | null;
  proposed: number;
  accepted: number;
  status: "kept" | "score_filtered" | "cap_filtered" | "drafter_pruned" | "budget_pruned";
  why: string;
  first_rank: number | null;
  lineage: number | null;
  resumed: boolean;
}

export interface KnobView {
  kind: "knob";
  title: string;
  readings: Array<Reading>;
  names: Record<string, string>;
  shown: Array<string>;
  start: number;
  goal: string;
  say: string;
}

export type LabMessage = OpeningMessage | ProgressMessage | RecordedMessage | ConfirmedMessage | ErrorMessage;

export interface LabPacket {
  stream: string;
  seq: number;
  messages: Array<LabMessage>;
}

export interface Lane {
  letter: string;
  method: string;
  title: string;
  paper: string;
  run_id: string;
  target: string;
  numbers: LaneNumbers;
  parting: Parting | null;
  prefill_ms: number;
  total_ms: number;
  rounds: Array<LaneRound>;
  tokens: Array<LaneToken>;
}

export interface LaneMessage {
  kind: "lane";
  lane: number;
  lanes: number;
  title: string;
  points: Array<[number, number]>;
  most: number;
}

export interface LaneNumbers {
  preset: string;
  changed: Array<ChangedSetting>;
  tokens: number;
  passes: number;
  per_pass: number | null;
  speed: Speed | null;
  acceptance: Share;
  trigger: Share;
  sources: Array<SourceShare>;
  drafting: number | null;
  nodes: number | null;
  finish: string;
  notes: Array<string>;
}

export interface LaneRound {
  start: number;
  end: number;
  start_ms: number;
  end_ms: number;
  drafted: number;
  accepted: number;
  relaxed: number;
  chosen: string;
  triggered: boolean;
}

export interface LaneToken {
  text: string;
  piece: string;
  outcome: "strict_accept" | "relaxed_accept" | "fly_accept" | "correction" | "bonus" | "plain";
  source: string;
  p: number;
  entropy: number;
  wish: string | null;
  special: boolean;
}

export interface LaneWishes {
  method: string;
  settings: Record<string, SettingValue>;
}

export interface Lattice {
  k: number;
  positions: Array<LatticePosition>;
  beams: Array<Beam>;
  chosen: number;
  top1_path: Array<number>;
  lambda_dlm: number;
  tau: number;
  passes: Array<DenoisingPass>;
  links: Array<Links> | null;
}

export interface LatticeCandidate {
  token: number;
  text: string;
  logp_dlm: number;
  kept: boolean;
  pruned_by: "rerank" | "topk_first" | "mass_tau" | "m_max" | "beam" | "budget" | "score" | null;
  is_eos: boolean;
}

export interface LatticePosition {
  i: number;
  cand: Array<LatticeCandidate>;
  mass_at_cut: number;
  M_i: number;
}

export interface LatticeView {
  sentence: string;
  verdict: CellVerdict;
  passes: Array<string>;
}

export interface Layout {
  height?: number;
  margin?: Margins;
  xaxis?: Axis;
  yaxis?: Axis;
  yaxis2?: Axis;
  showlegend?: boolean;
  legend?: Legend;
  dragmode?: string | false;
  barmode?: string;
  bargap?: number;
  uniformtext?: UniformText;
  shapes?: Array<DrawnShape>;
  annotations?: Array<Annotation>;
}

export interface LearnOpening {
  lessons: Array<LessonLine>;
}

export interface Legend {
  orientation?: string;
  x?: number;
  y?: number;
  yanchor?: string;
  font?: Font;
}

export interface LengthView {
  sentence: string;
  figure: Figure;
}

export interface LessonAnswer {
  lesson: LessonView | null;
  error: string;
}

export interface LessonLine {
  name: string;
  title: string;
  minutes: number;
  about: string;
  steps: Array<string>;
  wrong: string;
}

export interface LessonView {
  name: string;
  title: string;
  minutes: number;
  about: string;
  steps: Array<StepView>;
  runs: Record<string, PlayedRun>;
}

export interface Links {
  edges: Array<Array<number>>;
  alone: Array<number>;
}

export interface ListedText {
  id: string;
  kind: string;
  tokens: number;
}

export interface LivePanels {
  lineages: GeneralView | null;
  adl: LengthView | null;
}

export interface LookAnswer {
  verdict: string;
  facts: Array<[string, string]>;
  kinds: GeneralView;
  lengths: GeneralView;
  positions: GeneralView;
}

export interface LoopView {
  start: number;
  length: number;
  period: number;
}

export interface MadeMessage {
  kind: "made";
  trace: Run;
  title: string;
  setup: Setup;
  outcome: Outcome;
}

export interface Margins {
  l: number;
  r: number;
  t: number;
  b: number;
}

export interface MarkNote {
  note: string;
  node?: number;
  round?: number;
  at?: number;
}

export interface Marker {
  symbol?: string | Array<string>;
  size?: number | Array<number>;
  color?: string | Array<number> | Array<string>;
  opacity?: number | Array<number>;
  line?: Stroke;
  pattern?: Hatching;
  cmin?: number;
  cmax?: number;
  colorscale?: string;
}

export interface MaskRow {
  id: number;
  text: string;
  sees: Array<number>;
}

export interface MaskView {
  kind: "mask";
  tree: TreeView;
  rows: Array<MaskRow>;
  committed: number;
  more: number;
  title: string;
}

export interface Match {
  dyn: number;
  static: number | null;
  bias: number;
  threshold: number;
}

export type Message = StartMessage | PrefillMessage | DraftMessage | RoundMessage | SummaryMessage | MetricsMessage | EndMessage | PlainMessage | NothingMessage | ErrorMessage | TraceMessage;

export interface MethodChoice {
  name: string;
  title: string;
  paper: string;
  idea: string;
  about: string;
  knobs: Array<Control>;
  front: Array<string>;
  outlook: OutlookView;
  defaults: Record<string, SettingValue>;
  presets: Array<PresetChoice>;
}

export interface Metric {
  name: string;
  value: string;
  note: string;
  help: string;
  muted: boolean;
}

export interface MetricsMessage {
  metrics: Array<Metric>;
  badges: Array<Badge>;
  warning: string;
  verdict: string;
  loop: LoopView | null;
  story: string;
  kind: "metrics";
  ticks: Array<string>;
  panels: LivePanels;
}

export interface MetricsView {
  metrics: Array<Metric>;
  badges: Array<Badge>;
  warning: string;
  verdict: string;
  loop: LoopView | null;
  story: string;
}

export interface Miss {
  best: Array<number>;
  p: number | null;
  entropy: number | null;
  text: string | null;
}

export interface Node {
  id: number;
  parent: number;
  depth: number;
  token: number;
  text: string;
  sources: Array<string>;
  hit_ids: Array<number>;
  draft_p?: number;
  path_score?: number;
  target_p?: number;
  target_rank?: number;
  target_entropy?: number;
  target_top: Array<Candidate>;
  kept: boolean;
  pruned_by?: "rerank" | "topk_first" | "mass_tau" | "m_max" | "beam" | "budget" | "score";
  outcome?: "strict_accept" | "relaxed_accept" | "fly_accept" | "rejected" | "unreached";
  decided_p?: number;
  ahead?: Ahead;
}

export interface NothingMessage {
  kind: "nothing";
  text: string;
}

export interface NumberView {
  kind: "number";
  say: string;
  given: string;
  right: number;
  because: string;
}

export interface OpeningMessage {
  kind: "wishes";
  wishes: Wishes;
}

export interface Option {
  way: "copies" | "model" | "both";
  tokens: number;
  ms: number | null;
  nodes: number | null;
}

export interface Outcome {
  per_pass: number | null;
  speed: Timed | null;
  equal: boolean | null;
}

export interface OutlookView {
  wrong: string;
  idle: Record<string, string>;
  size: string;
  parts: Array<DrawnPart>;
}

export interface Packet {
  stream: string;
  seq: number;
  messages: Array<Message>;
}

export interface PairAnswer {
  left: number;
  panel: GeneralView;
  front: GeneralView;
}

export interface PanelModules {
  fusion: Draws<typeof import("./fusion.js"), FusionView>;
  lattice: Draws<typeof import("./lattice.js"), LatticeView>;
  adl: Draws<typeof import("./draft_length.js"), LengthView>;
  calibration: Draws<typeof import("./calibration.js"), AcceptanceView>;
}

export interface Parting {
  position: number;
  kind: "target" | "prompt" | "end" | "sampling" | "relaxed" | "lossy" | "draw" | "tie" | "unexplained";
  ours: string;
  theirs: string;
  margin: number | null;
  sentence: string;
}

export interface PictureAnswer {
  text: string;
  panel: GeneralView;
}

export type Piece = Prose | QuestionView | KnobView | NumberView | PlayerView | FigureView | MaskView | GrowthView | RuleView | AutomatonView;

export interface Place {
  round: number | null;
  token: number | null;
}

export interface PlainMessage {
  kind: "plain";
  done: number;
  total: number;
}

export interface PlayedRun {
  run: RunHead;
  steps: Array<Step>;
  tokens: Array<Token>;
  views: Array<RoundViews>;
}

export interface PlayerView {
  kind: "run";
  trace: string;
  readings: Array<Reading>;
  names: Record<string, string>;
  start: number;
  goal: string;
  say: string;
}

export interface PositionAcceptance {
  depth: number;
  drafted: number;
  judged: number;
  accepted: number;
  conditional: number | null;
  unconditional: number;
}

export interface PositionsView {
  figure: Figure;
  depths: Array<PositionAcceptance>;
}

export interface PrefillMessage {
  kind: "prefill";
  done: number;
  total: number;
}

export interface PresetChoice {
  name: string;
  about: string;
  values: Record<string, SettingValue>;
}

export interface ProgressMessage {
  kind: "progress";
  done: number;
  total: number;
  seconds: number;
}

export interface Prose {
  kind: "paragraph" | "heading" | "list" | "numbered";
  lines: Array<Array<Words>>;
}

export interface Pulled {
  token: number;
  text: string;
  p: number;
  q: number;
}

export interface PulledRow {
  node: number;
  p: number;
  q: number;
  pulled: number;
  candidates: Array<Pulled>;
  whole: boolean;
}

export interface Question {
  what: "set" | "curve" | "look" | "pair" | "picture" | "regret" | "round" | "export";
  set: string;
  method: string;
  settings: Record<string, unknown>;
  knob: string;
  other: string;
  value: boolean | number | string | null;
  text: string;
  at: number;
}

export interface QuestionView {
  kind: "question";
  claim: string;
  asked: string;
  options: Array<string>;
  right: number;
  because: string;
}

export interface RacerBorder {
  match_len: number;
  windows: number;
  idle: number;
  sent: number;
}

export interface RacerBudget {
  borders: Array<RacerBorder>;
  retrieved: number;
  from_logits: number;
  shared: number;
  room: number;
  states: number;
  forgotten: number;
}

export interface Reading {
  value: number;
  label: string;
  sentence: string;
  metrics: Record<string, number>;
}

export interface Recalled {
  answer: number;
  cosine: number;
}

export interface RecordedMessage {
  kind: "recorded";
  set: string;
  title: string;
}

export interface ReferenceAR {
  output_ids: Array<number>;
  wall_s: number;
  output_text: string | null;
  repeats: Array<Repeat>;
}

export interface Refusal {
  error: string;
}

export interface Refused {
  error: string;
  real: boolean;
}

export interface RegretAnswer {
  left: number;
  panel: GeneralView;
}

export interface Repeat {
  run_s: number;
  plain_s: number;
}

export interface RetrievalView {
  note: string;
  rows: Array<CandidateRow>;
  more: number;
  spans: Array<Span>;
}

export interface RoundAnswer {
  trace: Run;
  title: string;
  setup: Setup;
  outcome: Outcome;
  round: number;
}

export interface RoundMessage {
  kind: "round";
  step: Step;
  tokens: Array<Token>;
  view: RoundViews;
  append: AddedPoints;
}

export interface RoundPanels {
  suffix: GeneralView | null;
  racer: GeneralView | null;
  toolspec: GeneralView | null;
  fusion: FusionView | null;
  lattice: LatticeView | null;
  transfer: GeneralView | null;
  arms: GeneralView | null;
  strip: GeneralView | null;
}

export interface RoundView {
  facts: Array<Fact>;
  reason: string;
  outcome: string;
}

export interface RoundViews {
  tree: TreeView;
  round: RoundView;
  retrieval: RetrievalView | null;
  trigger: TriggerView | null;
  panels: RoundPanels;
}

export interface RuleView {
  kind: "rule";
  tokens: Array<string>;
  p: Array<number>;
  q: Array<number>;
  residual: Array<number>;
  kept: number;
  critical: number;
}

export interface Run {
  schema_version: 1;
  run_id: string;
  method: string;
  variant: string;
  config: Record<string, unknown>;
  models: Record<string, unknown>;
  seed: number;
  prompt_text: string;
  prompt_ids: Array<number>;
  prompt_pieces: Array<string>;
  prompt_specials: Array<string>;
  steps: Array<Step>;
  tokens: Array<Token>;
  output_ids: Array<number>;
  output_text: string;
  finish_reason: "eos" | "stop" | "length" | "context" | "cancelled";
  summary: Summary | null;
  reference_ar: ReferenceAR | null;
  cost_curve: Array<[number, number]>;
  predicted_by: Array<[number, number]>;
}

export interface RunAsked {
  stream: string;
  prompt: string;
  method: string;
  settings: Record<string, SettingValue>;
  plain: boolean;
}

export interface RunFigures {
  entropy: Figure;
  timeline: Figure;
}

export type RunHead = Omit<Run, "steps" | "tokens"> & Titles;

export interface RunPanels {
  "beside-plain"?: GeneralView | null;
  lineages?: GeneralView | null;
  adl?: LengthView | null;
  "depth-ranks"?: GeneralView | null;
  context?: GeneralView | null;
  calibration?: AcceptanceView | null;
  lossy?: GeneralView | null;
  fusion?: string;
  arms?: string;
}

export interface ServedAnswer {
  sentence: string;
  facts: Array<[string, string]>;
  lengths: GeneralView;
  positions: GeneralView;
}

export interface SetAnswer {
  name: string;
  about: string;
  texts: Array<ListedText>;
  missing: Record<string, string>;
  knobs: Array<string>;
  first: string;
  exact: string;
}

export type SettingValue = boolean | number | string | Array<string> | null;

export interface Setup {
  method: string;
  preset: string;
  changed: Array<ToldSetting>;
  values: Record<string, SettingValue>;
}

export interface Share {
  part: number | null;
  whole: number | null;
  text: string;
}

export interface Shortening {
  read: number;
  chunks: Array<Chunk>;
  rows: Array<PulledRow>;
  eta: number;
}

export interface Sizing {
  rule: "fixed" | "auto";
  proposed: number;
  kept: number;
  expected_tokens: number | null;
  forward_ms: number | null;
  plain_ms: number | null;
  rate: number | null;
  trust: Record<string, number>;
  factors: [number, number] | null;
}

export interface SourceAcceptance {
  drafted: number;
  accepted: number;
  rate: number;
}

export interface SourceShare {
  source: string;
  tokens: number;
  share: number;
}

export interface Span {
  hit: number;
  suffix: [number, number];
  matched: [number, number];
  copied: [number, number];
  accepted: number;
}

export interface Speed {
  ratio: number;
  low: number;
  high: number;
  repeats: number;
  silent: boolean;
}

export interface Standing {
  ahead: number;
  seconds: number | null;
}

export interface StartMessage {
  kind: "start";
  run: RunHead;
  setup: Setup;
  figures: RunFigures;
}

export interface Status {
  state: "loading" | "ready" | "error";
  text: string;
  model: string;
  missing: Record<string, string>;
}

export interface Step {
  i: number;
  ctx_len: number;
  phase_ms: Record<string, number>;
  decision: Decision;
  retrieval: Array<Hit>;
  trees: Trees;
  suffix?: SuffixChoice | null;
  racer?: RacerBudget | null;
  toolspec?: ToolState | null;
  lattice?: Lattice | null;
  adl?: ADL | null;
  rapid?: Shortening | null;
  composition?: Composition | null;
  commit: Commit;
}

export interface StepView {
  title: string;
  pieces: Array<Piece>;
}

export interface Stroke {
  color?: string | Array<string>;
  width?: number | Array<number>;
  dash?: string;
  shape?: string;
}

export interface SuffixChoice {
  matches: Array<SuffixMatch>;
  chosen: number | null;
}

export interface SuffixMatch {
  source: "dynamic" | "static";
  match_len: number;
  places: number;
  allowed: number;
  drafted: number;
  score: number;
}

export interface Summary {
  tokens: number;
  steps: number;
  target_passes: number;
  mat: number;
  accepted_per_step: number;
  drafted: number;
  acceptance_rate: number;
  trigger_rate: number;
  hit_rate: number;
  acceptance_by_source: Record<string, SourceAcceptance>;
  acceptance_by_depth: Array<number>;
  relaxed_accepts: number;
  relaxed_share: number;
  wall_s: number;
  prefill_s: number;
  tok_s: number;
  phase_share: Record<string, number>;
  first_divergence_vs_ar: number | null;
  speedup_measured: number | null;
  draft_rounds: number | null;
  retrieval_rounds: number | null;
  acceptance_by_position: Array<PositionAcceptance> | null;
}

export interface SummaryMessage {
  kind: "summary";
  summary: Summary;
}

export interface Table {
  columns: Array<Column>;
  rows: Array<Record<string, string | number | null>>;
}

export interface Term {
  name: string;
  about: string;
  formula: string;
  source: string;
}

export interface Timed {
  ratio: number;
  low: number;
  high: number;
  repeats: number;
  silent: boolean;
}

export interface TimedMessage {
  kind: "timed";
  run: string;
  speed: Timed;
}

export interface Titles {
  title: string;
  paper: string;
}

export interface Token {
  id: number;
  text: string;
  piece: string;
  special: boolean;
  p: number;
  rank: number;
  entropy: number;
  decided_p: number | null;
  top: Array<Candidate>;
  source: string;
  outcome: "strict_accept" | "relaxed_accept" | "fly_accept" | "correction" | "bonus" | "plain";
  round: number;
  wish: Candidate | null;
}

export interface ToldSetting {
  name: string;
  label: string;
  value: string;
}

export interface ToolState {
  state: "init" | "first_param" | "remaining_param" | "value" | "done";
  tool: string | null;
  parameter: string | null;
  expected: Array<string>;
  recalled: Array<Recalled>;
}

export interface Trace {
  type?: "bar" | "scatter" | "heatmap";
  mode?: string;
  name?: string;
  x?: Array<number | string | null>;
  y?: Array<number | string | null>;
  z?: Array<Array<number | null>>;
  base?: Array<number>;
  width?: number | Array<number>;
  text?: Array<string>;
  customdata?: Array<MarkNote | Array<number> | Array<string> | number | string | null>;
  error_x?: ErrorBars;
  error_y?: ErrorBars;
  yaxis?: string;
  line?: Stroke;
  marker?: Marker;
  fill?: string;
  fillcolor?: string;
  opacity?: number;
  textfont?: Font;
  insidetextfont?: Font;
  outsidetextfont?: Font;
  textposition?: string | Array<string>;
  insidetextanchor?: string;
  textangle?: number;
  constraintext?: string;
  cliponaxis?: boolean;
  showlegend?: boolean;
  colorscale?: string;
  showscale?: boolean;
  zmin?: number;
  zmax?: number;
  xgap?: number;
  ygap?: number;
  orientation?: string;
  hoverinfo?: string;
}

export interface TraceMessage {
  run: RunHead;
  steps: Array<Step>;
  tokens: Array<Token>;
  views: Array<RoundViews>;
  kind: "trace";
  setup: Setup;
  figures: RunFigures;
  metrics: MetricsView | null;
  outcome: Outcome;
  panels: RunPanels;
  final: boolean;
  title: string;
  autoplay: boolean;
  showcase: string;
  place: Place;
}

export interface TreeMark {
  id: number;
  parent: number;
  text: string;
  look: "strict_accept" | "relaxed_accept" | "fly_accept" | "rejected" | "unreached" | "root" | "pending" | "correction" | "bonus" | "plain" | "sent" | "pruned";
  source: string;
}

export interface TreeView {
  marks: Array<TreeMark>;
  more: number;
  alt: string;
}

export interface Trees {
  final: Array<Node>;
  drafter: Array<Node> | null;
  retrieval: Array<Node> | null;
}

export interface TriggerView {
  lit: boolean;
  sentence: string;
  figure: Figure;
}

export interface TurnsMessage {
  kind: "turns";
  done: number;
  total: number;
}

export interface UniformText {
  mode: string;
  minsize: number;
}

export interface Verdict {
  right: boolean;
  sentence: string;
}

export interface WhatIf {
  prompt_ids: Array<number>;
  output_ids: Array<number>;
  ctx_len: number;
  lattice: Lattice;
  proxy: "corpus" | "ngram" | "recycling" | "none";
  ngram: number;
  length_normalised: boolean;
  vocab_size: number;
  target: string;
  lambda_dlm: number;
  tau: number;
  beam: number;
}

export interface Why {
  ahead: number | null;
  other: number | null;
  ratio: number | null;
  factors: Array<Factor>;
  settled: boolean;
  sentence: string;
}

export interface Wishes {
  method: string;
  example: string;
  prompt: string;
  settings: Record<string, SettingValue>;
  plain: boolean;
  asked: boolean;
}

export interface WishesMessage {
  kind: "wishes";
  wishes: CompareWishes;
}

export interface Words {
  text: string;
  style: "plain" | "strong" | "em" | "code";
  href: string;
  term: Term | null;
}
