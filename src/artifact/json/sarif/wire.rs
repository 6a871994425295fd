//! The objects of SARIF that are read, in the words of 2.1.0, of its drafts and of 1.0.0.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::lenient::{List, Named, Number, Object, Text, skip};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Finding {
    pub(super) rule_id: Text,
    /// Version 1 names the rule's key apart from its id.
    pub(super) rule_key: Text,
    pub(super) rule_index: Number,
    pub(super) rule: Object<RuleReference>,
    pub(super) level: Text,
    pub(super) kind: Text,
    pub(super) baseline_state: Text,
    pub(super) suppressions: List<Object<Suppression>>,
    pub(super) suppression_states: List<Text>,
    pub(super) message: Message,
    /// Version 1 and the drafts.
    #[serde(alias = "formattedRuleMessage", alias = "templatedMessage")]
    pub(super) formatted_message: Message,
    pub(super) rule_message_id: Text,
    #[serde(alias = "analysisTargetFile")]
    pub(super) analysis_target: Object<ArtifactLocation>,
    pub(super) locations: List<Object<Location>>,
    pub(super) related_locations: List<Object<Location>>,
    pub(super) code_flows: List<Object<CodeFlow>>,
    pub(super) stacks: List<Object<Stack>>,
    pub(super) fixes: List<Object<Fix>>,
}

impl Finding {
    /// What is left to resolve once the steps and the edits were: a log can have a hundred thousand that wait.
    pub(super) fn without_steps(mut self) -> Self {
        self.locations.0.truncate(2);
        self.locations.0.shrink_to_fit();
        Self {
            related_locations: List::default(),
            code_flows: List::default(),
            stacks: List::default(),
            fixes: List::default(),
            ..self
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Suppression {
    #[serde(alias = "state")]
    pub(super) status: Text,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct RuleReference {
    pub(super) id: Text,
    pub(super) index: Number,
    pub(super) tool_component: Object<Component>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Component {
    pub(super) index: Number,
}

/// A text, or an object with it, its name or its arguments.
#[derive(Debug, Clone, Default)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) markdown: String,
    pub(super) id: String,
    pub(super) arguments: Vec<Text>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MessageObject {
    text: Text,
    #[serde(alias = "richText")]
    markdown: Text,
    #[serde(alias = "messageId", alias = "formatId", alias = "templateId")]
    id: Text,
    arguments: List<Text>,
}

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = Message;

    skip!(rest);
    skip!(numbers);
    skip!(list);

    fn visit_str<E: Error>(self, text: &str) -> Result<Message, E> {
        Ok(Message { text: text[..text.floor_char_boundary(16 << 10)].to_owned(), ..Message::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Message, A::Error> {
        let object = MessageObject::deserialize(MapAccessDeserializer::new(entries))?;
        Ok(Message { text: object.text.0, markdown: object.markdown.0, id: object.id.0, arguments: object.arguments.0 })
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MessageVisitor)
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names are the format's")]
pub(super) struct Location {
    pub(super) physical_location: Object<PhysicalLocation>,
    /// Version 1: where it is in the file that was analysed, and in the one that was written by hand.
    pub(super) analysis_target: Object<PhysicalLocation>,
    pub(super) result_file: Object<PhysicalLocation>,
    #[serde(alias = "fullyQualifiedName")]
    pub(super) fully_qualified_logical_name: Text,
    pub(super) logical_locations: List<Object<LogicalLocation>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    #[serde(alias = "fullyQualifiedLogicalName")]
    pub(super) fully_qualified_name: Text,
    pub(super) name: Text,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    #[serde(alias = "fileLocation")]
    pub(super) artifact_location: Object<ArtifactLocation>,
    pub(super) region: Object<Region>,
    /// Version 1 has no object between.
    pub(super) uri: Text,
    pub(super) uri_base_id: Text,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: Text,
    pub(super) uri_base_id: Text,
    #[serde(alias = "fileIndex")]
    pub(super) index: Number,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: Number,
    pub(super) start_column: Number,
    pub(super) end_line: Number,
    pub(super) end_column: Number,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CodeFlow {
    pub(super) thread_flows: List<Object<ThreadFlow>>,
    /// Version 1.
    pub(super) locations: List<Object<FlowLocation>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ThreadFlow {
    pub(super) locations: List<Object<FlowLocation>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct FlowLocation {
    pub(super) location: Object<Location>,
    /// Version 1.
    pub(super) physical_location: Object<PhysicalLocation>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Stack {
    pub(super) frames: List<Object<FlowLocation>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Fix {
    #[serde(alias = "fileChanges")]
    pub(super) artifact_changes: List<Object<ArtifactChange>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ArtifactChange {
    #[serde(alias = "fileLocation")]
    pub(super) artifact_location: Object<ArtifactLocation>,
    pub(super) replacements: List<Object<Replacement>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Replacement {
    pub(super) deleted_region: Object<Region>,
    pub(super) inserted_content: Object<Content>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Content {
    pub(super) text: Text,
}

/// The tool, or one of its extensions.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Tool {
    /// The drafts and version 1 have no driver.
    pub(super) name: Text,
    pub(super) driver: Object<Driver>,
    pub(super) extensions: List<Object<Driver>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: Text,
    pub(super) rules: Rules,
    pub(super) global_message_strings: Named<Message>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Rule {
    pub(super) id: Text,
    pub(super) name: Message,
    pub(super) short_description: Message,
    pub(super) full_description: Message,
    #[serde(alias = "messageFormats", alias = "messageTemplates")]
    pub(super) message_strings: Named<Message>,
    #[serde(alias = "configuration")]
    pub(super) default_configuration: Object<Configuration>,
    pub(super) default_level: Text,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Configuration {
    #[serde(alias = "defaultLevel")]
    pub(super) level: Text,
}

/// The drafts' rules and messages.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Resources {
    pub(super) rules: Rules,
    pub(super) message_strings: Named<Message>,
}

/// A list of rules, or an object of them by id or by another name.
#[derive(Debug, Default)]
pub(super) struct Rules(pub(super) Vec<(String, Rule)>);

struct RulesVisitor;

impl<'de> Visitor<'de> for RulesVisitor {
    type Value = Rules;

    skip!(rest);
    skip!(scalars);

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Rules, A::Error> {
        let mut rules = Vec::new();
        while let Some(rule) = items.next_element::<Object<Rule>>()? {
            if rules.len() < RULES_LIMIT {
                rules.push((rule.0.id.0.clone(), rule.0));
            }
        }
        Ok(Rules(rules))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Rules, A::Error> {
        let mut rules = Vec::new();
        while let Some((key, rule)) = entries.next_entry::<String, Object<Rule>>()? {
            if rules.len() < RULES_LIMIT {
                rules.push((key, rule.0));
            }
        }
        Ok(Rules(rules))
    }
}

/// No tool has more rules.
const RULES_LIMIT: usize = 20_000;

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RulesVisitor)
    }
}

/// One file of a run.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Artifact {
    #[serde(alias = "fileLocation")]
    pub(super) location: Object<ArtifactLocation>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Invocation {
    #[serde(alias = "toolNotifications")]
    pub(super) tool_execution_notifications: List<Object<Notification>>,
    #[serde(alias = "configurationNotifications")]
    pub(super) tool_configuration_notifications: List<Object<Notification>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Notification {
    pub(super) level: Text,
    pub(super) message: Message,
}
