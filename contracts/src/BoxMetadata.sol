// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {BoxNft} from "./BoxNft.sol";

/// @title What wallets and marketplaces show of a box
/// @notice All of it is in the contract, so no server can change it or go away.
library BoxMetadata {
    using Strings for uint256;

    /// @notice Returns a box's ERC-721 metadata as a data URI. It leaves out whether the prize was paid, because
    /// marketplaces keep old copies.
    function uriOf(BoxNft.Box memory box) internal pure returns (string memory) {
        bytes memory json = abi.encodePacked(
            '{"name":"Fairhouse Box","description":"Opened to a tier that its id and a pepper decide. Before you accept an',
            ' opened box, ask the award contract whether its prize was paid.","image":"data:image/svg+xml;base64,',
            Base64.encode(_image(box)),
            '","attributes":[',
            _attribute("Kind", box.kind.toString()),
            ",",
            _attribute("Batch", box.batch.toString()),
            ",",
            _attribute("State", box.isOpened ? "opened" : "closed"),
            box.isOpened ? string.concat(",", _attribute("Tier", box.tier.toString())) : "",
            "]}"
        );
        return string.concat("data:application/json;base64,", Base64.encode(json));
    }

    function _attribute(string memory name, string memory value) private pure returns (string memory) {
        return string.concat('{"trait_type":"', name, '","value":"', value, '"}');
    }

    function _image(BoxNft.Box memory box) private pure returns (bytes memory) {
        return abi.encodePacked(
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200"><rect width="200" height="200" fill="#14181f"/>',
            '<path d="M50 90h100v65H50z" fill="#f0b429"/><path d="',
            box.isOpened ? "M44 44l108-18 3 18-108 18z" : "M44 72h112v18H44z",
            '" fill="#ffd166"/><text x="100" y="130" font-family="sans-serif" font-size="18" text-anchor="middle">',
            box.isOpened ? string.concat("Tier ", box.tier.toString()) : string.concat("Kind ", box.kind.toString()),
            "</text></svg>"
        );
    }
}
